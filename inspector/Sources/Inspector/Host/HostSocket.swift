import Glibc
import NIOCore
import NIOPosix

/// The host's control socket.
enum HostSocket {
    /// The length of the longest path in an address, in bytes without the NUL.
    private static let longestPath = 107

    /// Checks that the socket is one of this user. A path where nothing is yet is allowed: the host may come.
    ///
    /// - Returns: whether there is a socket.
    /// - Throws: the reason in words.
    static func check(_ path: String) throws(HostFailure) -> Bool {
        guard path.utf8.count <= longestPath else {
            throw .noHost(
                "the path of a socket can have at most \(longestPath) bytes, but `\(path)` is longer")
        }
        guard !path.utf8.contains(0) else { throw .noHost("the path of the socket has a NUL") }
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            // Safe because the text is copied at once, and only this thread asks for it.
            throw .noHost("`\(path)` cannot be used: \(unsafe String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .noHost("`\(path)` is not a socket") }
        guard status.st_uid == geteuid() else {
            throw .noHost("the socket `\(path)` belongs to user \(status.st_uid)")
        }
        return true
    }

    /// Connects, and hands the lines of the host to a handler.
    static func connect(
        _ path: String, on loop: any EventLoop, limits: InspectorLimits,
        _ handler: @escaping @Sendable () -> any ChannelHandler
    ) -> EventLoopFuture<any Channel> {
        do {
            guard try check(path) else { throw HostFailure.noHost("no app listens at `\(path)`") }
        } catch { return loop.makeFailedFuture(error) }
        return ClientBootstrap(group: loop)
            .connectTimeout(limits.host)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(HostLines(most: limits.line)), handler())
                }
            }
            .connect(unixDomainSocketPath: path)
            .flatMapErrorThrowing { error in
                throw error as? HostFailure ?? .noHost("no app listens at `\(path)`")
            }
    }
}
