import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Sets the handlers of a connection up.
enum Connection {
    /// - Parameter address: the address that the server listens at.
    static func prepare(
        _ channel: any Channel, _ site: Site, _ connections: Connections, _ address: AddressLiteral
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard connections.enter(channel) else { throw Connections.Full() }
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            let local = channel.localAddress
            let own = local?.ipAddress.flatMap(AddressLiteral.init)?.host
            let gate = RequestGate(
                HostGuard(port: local?.port ?? 0, own: address.isLoopback ? address.host : own),
                time: site.limits.request)
            let limit = HeadLimit(most: site.limits.head)
            let routes = Routes(site)
            let encoder = HTTPResponseEncoder()
            let upgrade = HTTPServerUpgradeHandler(
                upgraders: [upgrader(site)], httpEncoder: encoder,
                extraHTTPHandlers: [limit, decoder, gate, routes], upgradeCompletionHandler: { _ in })
            let handlers: [any ChannelHandler] = [limit, encoder, decoder, gate, upgrade, routes]
            try channel.pipeline.syncOperations.addHandlers(handlers)
        }
    }

    private static func upgrader(_ site: Site) -> NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: site.limits.message, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let isSocket = Routes.path(of: head.uri) == Routes.socket
                return channel.eventLoop.makeSucceededFuture(isSocket ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PageHandler(site))
                }
            })
    }
}
