import Glibc

/// A client of the inspector: it asks for addresses, or speaks as its page does.
final class PageClient {
    private let socket: Int32
    private var rest: [UInt8] = []

    /// Connects to the inspector at 127.0.0.1.
    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // Safe because the call gets the size of the structure.
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { throw BenchFault("cannot reach the inspector at port \(port)") }
    }

    deinit { close(socket) }

    /// Asks for an address, such as `/metrics`, and reads the answer to its end.
    static func get(_ path: String, port: UInt16) throws -> String {
        let client = try PageClient(port: port)
        try client.write(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
        while try client.receive() {}
        let text = String(decoding: client.rest, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200") else { throw BenchFault("\(path): \(text.prefix(200))") }
        return text
    }

    /// Opens the page's connection.
    static func open(port: UInt16, token: String) throws -> PageClient {
        let client = try PageClient(port: port)
        try client.write(
            Array(
                """
                GET /ws HTTP/1.1\r
                Host: 127.0.0.1:\(port)\r
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r

                """.utf8))
        while true {
            if let end = client.rest.indices.first(where: { client.rest[$0...].starts(with: "\r\n\r\n".utf8) }
            ) {
                client.rest.removeFirst(end + 4)
                break
            }
            guard try client.receive() else { throw BenchFault("the inspector has no page") }
        }
        try client.say(#"{"request":"hello","token":"\#(token)"}"#)
        try client.wait(for: #"{"host":{"state":"up""#)
        return client
    }

    /// Sends a line. It has less than 126 bytes.
    func say(_ line: String) throws {
        let bytes = Array(line.utf8)
        precondition(bytes.count < 126, "a longer frame has another form")
        // Masked with zeros, so the bytes stay as they are.
        try write([0x81, 0x80 | UInt8(bytes.count), 0, 0, 0, 0] + bytes)
    }

    /// Reads until a line with this beginning.
    func wait(for beginning: String) throws {
        while true {
            while let line = frame() { if line.hasPrefix(beginning) { return } }
            guard try receive() else { throw BenchFault("the inspector ended before it said `\(beginning)`") }
        }
    }

    /// Reads lines until the time is over.
    ///
    /// - Returns: how many came.
    func read(until end: ContinuousClock.Instant) throws -> Int {
        var count = 0
        while true {
            while frame() != nil { count += 1 }
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { return count }
            var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            // Safe because the call gets one structure.
            guard unsafe poll(&ready, 1, Int32(left) + 1) > 0 else { continue }
            guard try receive() else { throw BenchFault("the inspector has cut the page off") }
        }
    }

    /// The next whole frame. The inspector sends text alone, in one frame for each line.
    private func frame() -> String? {
        guard rest.count >= 2 else { return nil }
        var (size, start) = (Int(rest[1] & 0x7f), 2)
        if size >= 126 {
            let bytes = size == 126 ? 2 : 8
            guard rest.count >= 2 + bytes else { return nil }
            size = rest[2..<2 + bytes].reduce(0) { $0 << 8 | Int($1) }
            start += bytes
        }
        guard rest.count >= start + size else { return nil }
        defer { rest.removeFirst(start + size) }
        return String(decoding: rest[start..<start + size], as: UTF8.self)
    }

    private func write(_ bytes: [UInt8]) throws {
        // Safe because the call gets the length of the array.
        let count = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw BenchFault("the inspector takes no more") }
    }

    private func receive() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // Safe because the count is the array's own.
        let count = unsafe recv(socket, &piece, piece.count, 0)
        guard count >= 0 else { throw BenchFault("the inspector cannot be read") }
        rest += piece.prefix(count)
        return count > 0
    }
}
