import Diagnostics
import Manifest
import Records

/// The changes that give a file its canonical form.
struct FormattingAnswer {
    private let file: ManifestText

    init(_ file: ManifestText) { self.file = file }

    /// One change of the lines between the first and the last one that differ; empty for a formatted text.
    func value() throws(ResponseFault) -> Value {
        let formatted: String?
        do throws(Diagnostic) {
            formatted = try ManifestFormatter.formatted(file.lines.text, name: file.path)
        } catch {
            throw ResponseFault(.requestFailed, "a text with a fault is not formatted: \(error.message)")
        }
        guard let formatted else {
            throw ResponseFault(
                .requestFailed, "the formatter would change the meaning; please report this manifest")
        }
        let (before, after) = (file.lines.bytes, Array(formatted.utf8))
        guard before != after else { return .list([]) }
        let start = Self.lineStart(in: before, upTo: zip(before, after).prefix { $0 == $1 }.count)
        let common = zip(before[start...].reversed(), after[start...].reversed()).prefix { $0 == $1 }.count
        // A change begins and ends with a line.
        var end = before.count - common
        while end > start, end < before.count, before[end - 1] != UInt8(ascii: "\n") { end += 1 }
        let new = after[start..<after.count - (before.count - end)]
        return .list([
            .record([
                ("range", file.lines.range(start..<end)),
                ("newText", .string(String(decoding: new, as: UTF8.self))),
            ])
        ])
    }

    private static func lineStart(in bytes: [UInt8], upTo offset: Int) -> Int {
        bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }
}
