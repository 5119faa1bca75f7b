import NIOCore
import NIOHTTP1

/// Closes a connection whose request is longer than a limit. No request has a body, and a connection has one
/// request, so the limit is for all that a client sends before the upgrade.
final class HeadLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let most: Int
    private var count = 0

    /// - Parameter most: the limit in bytes.
    init(most: Int) { self.most = most }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        count += bytes.readableBytes
        guard count <= most else { return context.fireErrorCaught(TooLong()) }
        context.fireChannelRead(data)
    }

    /// The request is longer than the limit.
    struct TooLong: Error {}
}
