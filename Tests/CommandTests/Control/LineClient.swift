import Foundation

/// A client of a Unix socket that may say anything.
final class LineClient {
    private let descriptor: Int32
    private var input: [UInt8] = []

    /// Connects to the socket at a path.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Safe because no path of a test is too long, and the call is told the size of the address.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let answer = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // What takes that long never comes: whoever waits for it finds the connection ended.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            // Safe because the call is told the size of the time.
            unsafe setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard answer == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Connects to the socket of a host, and asks for version 2 of the protocol.
    convenience init(version2At path: String) throws {
        try self.init(path)
        guard line()?.hasPrefix(#"{"spinhost":1,"#) == true,
            ask(#"{"request":"hello","version":2}"#)?.hasPrefix(#"{"ok":true,"version":2,"#) == true
        else { throw CocoaError(.fileReadUnknown) }
    }

    deinit { close(descriptor) }

    /// Says something; false when the host takes no more.
    @discardableResult
    func say(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Safe because the call is told how many bytes there are.
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Says a line.
    @discardableResult
    func say(_ line: String) -> Bool { say(Array("\(line)\n".utf8)) }

    /// Says no more, and listens on.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits for a line; nil when the connection has ended.
    func line() -> String? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeFirst(end + 1) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            // Safe because the call is told how long the buffer is.
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            input += buffer[..<count]
        }
    }

    /// Says a line and waits for the next one.
    func ask(_ line: String) -> String? {
        say(line)
        return self.line()
    }
}
