import Foundation
import Glibc

/// A connection of a test, or a socket that listens. Its functions block, for at most a minute.
///
/// One thread reads at a time, and one sends.
// Safe because only the thread that reads uses the bytes that were not read yet.
final class TestSocket: @unchecked Sendable {
    struct Failure: Error { let call: String }

    let descriptor: Int32
    private var unread: [UInt8] = []

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var time = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            // Safe because the call gets the size of the structure.
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// A connection to a port of 127.0.0.N.
    ///
    /// - Parameters:
    ///   - last: the number N.
    ///   - buffer: the size of the buffer for what comes; nil for the usual one.
    static func connected(port: Int, at last: UInt32 = 1, buffer: Int32? = nil) throws -> TestSocket {
        let socket = TestSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        if var buffer {
            // Safe because the call gets the size of the number.
            _ = unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 + last).bigEndian
        // Safe because every address starts like `sockaddr`, and the call gets the real size.
        let answer = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard answer == 0 else { throw Failure(call: "connect") }
        return socket
    }

    /// A Unix socket that listens at a path.
    static func listening(at path: String) throws -> TestSocket {
        let socket = TestSocket(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Safe because the path of a test fits, and zeros follow it.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        // Safe because every address starts like `sockaddr`, and the call gets the real size.
        let answer = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard answer == 0, listen(socket.descriptor, 128) == 0 else { throw Failure(call: "bind") }
        return socket
    }

    /// The next connection; nil once the socket was shut down.
    func accept() -> TestSocket? {
        while true {
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 { return TestSocket(accepted) }
            guard errno == EINTR || errno == EAGAIN else { return nil }
        }
    }

    /// Ends the connection for both sides; a thread that waits returns.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Says that nothing more is sent.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends all bytes; false if the peer has closed, or reads nothing.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Safe because the call gets the number of bytes.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits for more bytes; false at the end.
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // Safe because the call gets the length of the buffer.
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        unread += buffer[..<count]
        return true
    }

    /// The next bytes; fewer at the end.
    func receive(_ count: Int) -> [UInt8] {
        while unread.count < count, read() {}
        defer { unread.removeFirst(min(count, unread.count)) }
        return Array(unread.prefix(count))
    }

    /// The next line without its end; nil at the end.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard read() else { return nil }
        }
    }

    /// All bytes until the peer closes.
    func rest() -> String {
        while read() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }
}
