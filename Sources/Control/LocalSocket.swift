import CLinux
import Glibc
import PluginHost

/// A Unix stream socket, closed with its last use. May be used from any thread.
///
/// The one place that knows how socket addresses lie in memory.
final class LocalSocket: Sendable {
    /// What became of a transfer that does not wait.
    enum Transfer: Equatable {
        case bytes(Int)
        /// Nothing now: wait until the socket is ready.
        case wait
        /// The peer is gone, or has nothing more to say.
        case end
    }

    /// The longest path that an address holds, in bytes, its end mark apart.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A socket that takes connections at `path`, for its owner only.
    ///
    /// - Throws: why not; `EADDRINUSE` when there is something at the path.
    static func listening(at path: String) throws(SystemError) -> LocalSocket {
        let socket = try make(Int32(SOCK_NONBLOCK.rawValue))
        // The file gets the mode that the socket has. Safe because `named` hands over an address.
        guard fchmod(socket.descriptor, 0o600) == 0, unsafe socket.named(path, Glibc.bind),
            listen(socket.descriptor, SOMAXCONN) == 0
        else { throw SystemError(number: errno) }
        return socket
    }

    /// A connection to who listens at `path`.
    ///
    /// - Throws: why not; `ECONNREFUSED` when nobody listens.
    static func connected(to path: String) throws(SystemError) -> LocalSocket {
        let socket = try make(0)
        // Safe because `named` hands over an address.
        guard unsafe socket.named(path, Glibc.connect) else { throw SystemError(number: errno) }
        return socket
    }

    /// Two that are connected with each other; neither waits.
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
        // Safe because every address begins as `sockaddr` does, and the call is told its true size.
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe use(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// The next connection that waits; nil when none does.
    ///
    /// - Throws: why there is none; `EMFILE` and the like last for a while.
    func accept() throws(SystemError) -> LocalSocket? {
        let accepted = linux_accept(descriptor)
        if accepted >= 0 { return LocalSocket(accepted) }
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED: return nil
        default: throw SystemError(number: errno)
        }
    }

    /// The user who runs the peer, as the system knows it; nil when it does not.
    var peer: uid_t? {
        // `struct ucred`: process, user and group, of 32 bits each.
        var credentials: [UInt32] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
        // Safe because the call is told how long the array is.
        let answer = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        return answer == 0 ? credentials[1] : nil
    }

    /// Hands over the first of the bytes. Without signal when the peer is gone.
    func send(_ bytes: ArraySlice<UInt8>, waits: Bool = false) -> Transfer {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        // Safe because the call is told how many bytes there are.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
        }
        return transfer(count, isEnd: false)
    }

    /// Takes what has come, at most so many bytes as the buffer has.
    func receive(_ buffer: inout [UInt8], waits: Bool = false) -> Transfer {
        let flags = waits ? 0 : Int32(MSG_DONTWAIT)
        // Safe because the call is told how long the buffer is.
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

    /// Ends the connection for both sides, and whoever waits in `receive`.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
