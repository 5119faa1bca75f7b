import Foundation

/// A page of a test: it masks its frames, as browsers do.
final class WebSocketClient {
    /// A frame of the server.
    struct Frame: Equatable {
        let opcode: UInt8
        let content: [UInt8]

        var text: String { String(decoding: content, as: UTF8.self) }
        /// The code of a frame that closes.
        var code: Int? {
            opcode == 8 && content.count >= 2 ? Int(content[0]) << 8 + Int(content[1]) : nil
        }
    }

    let socket: TestSocket

    /// Opens a WebSocket.
    ///
    /// - Parameter headers: further lines of the request.
    init(port: Int, headers: [String] = [], buffer: Int32? = nil) throws {
        socket = try TestSocket.connected(port: port, buffer: buffer)
        let lines =
            [
                "GET /ws HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers
        socket.send(lines.map { "\($0)\r\n" }.joined() + "\r\n")
        status = socket.line()?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard status.contains(" 101 ") else { return }
        while let line = socket.line(), line != "\r" {}
    }

    /// The first line of the answer.
    let status: String

    /// Sends a frame; false if the server has closed.
    @discardableResult
    func send(opcode: UInt8 = 1, _ content: [UInt8], isLast: Bool = true, isMasked: Bool = true) -> Bool {
        socket.send(Self.frame(opcode: opcode, content, isLast: isLast, isMasked: isMasked))
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    static func frame(
        opcode: UInt8, _ content: [UInt8], isLast: Bool = true, isMasked: Bool = true
    ) -> [UInt8] {
        var bytes = [opcode | (isLast ? 0x80 : 0)]
        let mask: [UInt8] = [1, 2, 3, 4]
        let flag: UInt8 = isMasked ? 0x80 : 0
        switch content.count {
        case ..<126: bytes.append(UInt8(content.count) | flag)
        case ..<65536: bytes += [126 | flag, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        default:
            bytes.append(127 | flag)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: content.count >> shift))
            }
        }
        guard isMasked else { return bytes + content }
        return bytes + mask + content.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// The next frame, of any kind; nil at the end.
    func frame() -> Frame? {
        let head = socket.receive(2)
        guard head.count == 2 else { return nil }
        var length = Int(head[1] & 0x7F)
        if length >= 126 {
            length = socket.receive(length == 126 ? 2 : 8).reduce(0) { $0 << 8 + Int($1) }
        }
        let content = socket.receive(length)
        return content.count == length ? Frame(opcode: head[0] & 0x0F, content: content) : nil
    }

    /// The next text; the code of a close as text; nil at the end.
    func next() -> String? {
        while let frame = frame() {
            if frame.opcode == 1 { return frame.text }
            if let code = frame.code { return "closed \(code)" }
        }
        return nil
    }
}
