import LanguageServer
import Testing

/// Messages in what a client writes.
struct FrameReaderTests {
    private func messages(_ pieces: [String]) throws -> [String] {
        var reader = FrameReader()
        var messages: [String] = []
        for piece in pieces {
            reader.append(Array(piece.utf8))
            while let message = try reader.next() {
                messages.append(String(decoding: message, as: UTF8.self))
            }
        }
        return messages
    }

    @Test func messages_mayComeInAnyPieces() throws {
        let text =
            "Content-Length: 2\r\n\r\n{}content-length:6\r\nContent-Type: x\r\n\r\n[\"é\"]Content-Length: 0\r\n\r\n"
        let wanted = ["{}", "[\"é\"]", ""]
        #expect(try messages([text]) == wanted)
        #expect(try messages(text.unicodeScalars.map(String.init)) == wanted)
    }

    @Test(
        "bytes that are not messages are refused",
        arguments: [
            ("Content-Length 2\r\n\r\n{}", "a header of a message has no colon: `Content-Length 2`"),
            ("Content-Length: x\r\n\r\n{}", "`x` is not a length of a message"),
            ("Content-Length: -1\r\n\r\n{}", "`-1` is not a length of a message"),
            ("Content-Length: 99999999999\r\n\r\n", "a message is longer than 64 MiB"),
            ("Content-Type: x\r\n\r\n{}", "a message has no `Content-Length`"),
            (String(repeating: "x", count: 5000), "a message has no empty line after its headers"),
        ])
    func refused(text: String, wanted: String) {
        do {
            let found = try messages([text])
            Issue.record("\(found)")
        } catch let fault as FrameReader.Fault { #expect(fault.message == wanted) } catch {
            Issue.record(error)
        }
    }
}
