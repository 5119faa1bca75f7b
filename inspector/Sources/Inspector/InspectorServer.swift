import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// Serves the page, the metrics and the health of one app over HTTP.
///
/// All its connections share one thread. The functions may be called from any thread but that one.
public final class InspectorServer: Sendable {
    /// The address of the page, with the token.
    public let url: String
    /// The port that the server listens at.
    public let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let connections: Connections
    private let channel: any Channel

    /// Starts to listen.
    ///
    /// - Parameter log: called with a line of text for what a user should know, on the server's thread.
    /// - Throws: an error with code 69 if the socket does not belong to this user, or the address cannot be used.
    public convenience init(
        _ options: InspectorOptions, log: @escaping @Sendable (String) -> Void
    ) throws(InspectorError) {
        try self.init(options, limits: InspectorLimits(), log: log)
    }

    init(
        _ options: InspectorOptions, limits: InspectorLimits, log: @escaping @Sendable (String) -> Void
    ) throws(InspectorError) {
        do {
            if try !HostSocket.check(options.socket) {
                log("no app listens at `\(options.socket)` yet; the page shows it as soon as it does")
            }
        } catch { throw .unavailable(error.message) }
        guard let literal = AddressLiteral(options.address) else {
            throw .usage("`\(options.address)` is not an IP address")
        }
        let site = Site(options: options, limits: limits, token: Token(), log: log)
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        connections = Connections(limits.connections, on: group.next())
        do {
            channel = try ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(
                    .writeBufferWaterMark, value: .init(low: 1 << 18, high: 1 << 20)
                )
                .childChannelInitializer { [connections] in Connection.prepare($0, site, connections, literal)
                }
                .bind(host: literal.text, port: options.port).wait()
        } catch {
            group.shutdownGracefully { _ in }
            throw .unavailable("cannot listen at \(literal.host):\(options.port): \(Self.reason(error))")
        }
        port = channel.localAddress?.port ?? 0
        let host = literal.isAny ? "127.0.0.1" : literal.host
        url = "http://\(host):\(port)/#t=\(site.token.text)"
    }

    /// Ends all connections and waits until the server's thread has ended.
    public func stop() {
        try? channel.close().wait()
        try? group.next().submit { [connections] in connections.end() }.wait()
        try? group.syncShutdownGracefully()
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "the port is in use; choose another one with `--port`"
        case EADDRNOTAVAIL: "this machine does not have the address"
        case EACCES: "the port is not allowed; choose one above 1023 with `--port`"
        default: "\(error)"
        }
    }
}
