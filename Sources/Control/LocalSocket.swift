import CLinux
import Glibc
import PluginHost

/// A Unix stream socket, which is closed with its last reference. May be used from any thread.
///
/// Only this type uses the memory layout of socket addresses.
final class LocalSocket: Sendable {
    /// The outcome of a transfer.
    enum Transfer: Equatable {
        case bytes(Int)
        /// Nothing was transferred: the caller must wait until the socket is ready.
        case wait
        /// The peer has closed the connection.
        case end
    }

    /// The length of the longest path in an address, in bytes without the NUL.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A socket that accepts connections of its owner at `path`.
    ///
    /// - Throws: the system's error; `EADDRINUSE` if the path exists.
    static func listening(at path: String) throws(SystemError) -> LocalSocket {
        let socket = try make(Int32(SOCK_NONBLOCK.rawValue))
        // The file gets the mode of the socket. Safe because `named` passes a valid address.
        guard fchmod(socket.descriptor, 0o600) == 0, unsafe socket.named(path, Glibc.bind),
            listen(socket.descriptor, SOMAXCONN) == 0
        else { throw SystemError(number: errno) }
        return socket
    }

    /// A connection to the process that listens at `path`.
    ///
    /// - Throws: the system's error; `ECONNREFUSED` if no process listens.
    static func connected(to path: String) throws(SystemError) -> LocalSocket {
        let socket = try make(0)
        // Safe because `named` passes a valid address.
        guard unsafe socket.named(path, Glibc.connect) else { throw SystemError(number: errno) }
        return socket
    }

    /// Two sockets that are connected with each other and never block.
    static func pair() throws(SystemError) -> (LocalSocket, LocalSocket) {
        var both: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // Safe because the array has the two elements that are written.
        guard unsafe socketpair(AF_UNIX, type, 0, &both) == 0 else { throw SystemError(number: errno) }
        return (LocalSocket(both[0]), LocalSocket(both[1]))
    }

    private static func make(_ flags: Int32) throws(SystemError) -> LocalSocket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        return LocalSocket(descriptor)
    }

    private func named(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool {
        precondition(path.utf8.count <= Self.longestPath, "a path that fits an address")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Safe because the path fits, and zeros follow it.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        // Safe because every address starts like `sockaddr`, and the call gets the real size.
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe use(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// The next waiting connection; nil if there is none.
    ///
    /// - Throws: the system's error. Errors such as `EMFILE` may go away by themselves.
    func accept() throws(SystemError) -> LocalSocket? {
        let accepted = linux_accept(descriptor)
        if accepted >= 0 { return LocalSocket(accepted) }
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED: return nil
        default: throw SystemError(number: errno)
        }
    }

    /// The user of the peer's process; nil if the system does not know it.
    var peer: uid_t? {
        // `struct ucred`: process, user and group, of 32 bits each.
        var credentials: [UInt32] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
        // Safe because the call gets the size of the array.
        let answer = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        return answer == 0 ? credentials[1] : nil
    }

    /// Sends as many of the bytes as the socket accepts. It raises no signal if the peer has closed the
    /// connection.
    func send(_ bytes: ArraySlice<UInt8>, waits: Bool = false) -> Transfer {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        // Safe because the call gets the number of bytes.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
        }
        return transfer(count, isEnd: false)
    }

    /// Receives bytes, at most as many as the buffer has room for.
    func receive(_ buffer: inout [UInt8], waits: Bool = false) -> Transfer {
        let flags = waits ? 0 : Int32(MSG_DONTWAIT)
        // Safe because the call gets the length of the buffer.
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, flags)
        }
        return transfer(count, isEnd: count == 0)
    }

    private func transfer(_ count: Int, isEnd: Bool) -> Transfer {
        if isEnd { return .end }
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .wait : .end
    }

    /// Ends the connection for both sides. A thread that waits in `receive` gets `.end`.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
