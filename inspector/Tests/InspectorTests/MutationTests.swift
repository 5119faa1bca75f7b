import Foundation
import NIOCore
import Testing

@testable import Inspector

/// Requests and frames with random changes leave the server as it was.
///
/// `MUTATION_ROUNDS` is how many rounds there are, each with other changes; by default one. A round takes some seconds.
@Suite(.timeLimit(.minutes(120))) struct MutationTests {
    private static let rounds = UInt64(ProcessInfo.processInfo.environment["MUTATION_ROUNDS"] ?? "") ?? 1

    /// The same numbers in each run (SplitMix64).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// The bytes with some changes: other bytes, missing ones, repeated ones.
    private func mutated(_ bytes: [UInt8], _ generator: inout Generator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[index] = .random(in: .min ... .max, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2 where bytes.count > 1: bytes.remove(at: index)
            default: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
            }
        }
        return bytes
    }

    private func expectWhole(_ server: TestServer) throws {
        #expect(try server.status("/") == "200")
        let page = try server.livePage()
        page.send(#"{"request":"state"}"#)
        #expect(page.next() == #"{"ok":true,"to":{"request":"state"}}"#)
    }

    @Test func `Mutated heads are answered or end the connection`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host) { ($0.request, $0.host) = (.milliseconds(50), .minutes(5)) }
        let head = Array(
            """
            GET /metrics HTTP/1.1\r
            Host: 127.0.0.1:\(server.port)\r
            Origin: http://127.0.0.1:\(server.port)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r

            """.utf8)
        for round in 1...Self.rounds {
            var generator = Generator(state: round)
            for _ in 0..<500 {
                let socket = try TestSocket.connected(port: server.port)
                socket.send(mutated(head, &generator))
                let answer = socket.rest()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "), "round \(round)")
            }
            try expectWhole(server)
        }
    }

    @Test func `Mutated frames reach the host only as requests that read`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host) { ($0.hello, $0.host) = (.milliseconds(50), .minutes(5)) }
        let frames =
            WebSocketClient.frame(opcode: 1, Array(#"{"request":"send","event":"x"}"#.utf8))
            + WebSocketClient.frame(
                opcode: 1, Array(#"{"request":"state","loop":"door"}"#.utf8), isLast: false)
            + WebSocketClient.frame(opcode: 0, [0x20]) + WebSocketClient.frame(opcode: 8, [3, 0xE8])
        for round in 1...Self.rounds {
            var generator = Generator(state: ~round)
            for _ in 0..<300 {
                let page = try WebSocketClient(port: server.port)
                page.send(#"{"request":"hello","token":"\#(server.token)"}"#)
                page.socket.send(mutated(frames, &generator))
                page.socket.closeOutput()
                while let frame = page.frame() {
                    #expect([1, 8, 9, 10].contains(frame.opcode), "round \(round)")
                }
            }
            try expectWhole(server)
        }
        for request in host.requests {
            let value = try JSONParser.value(of: Array(request.utf8))
            let name = try #require(value["request"]?.text)
            #expect(name == "hello" || PageRequest.reading.contains(name), "\(request)")
        }
    }
}
