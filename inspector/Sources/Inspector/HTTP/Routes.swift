import NIOCore
import NIOHTTP1

/// Answers the requests that are allowed and that do not become a WebSocket.
final class Routes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The path of the WebSocket.
    static let socket = "/ws"

    private let site: Site
    private var path: String?

    init(_ site: Site) { self.site = site }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): path = Self.path(of: head.uri)
        case .body: break
        case .end:
            guard let path else { return }
            self.path = nil
            answer(path, context.channel)
        }
    }

    /// The path of a request without its query.
    static func path(of uri: String) -> String {
        String(uri.prefix { $0 != "?" })
    }

    private func answer(_ path: String, _ channel: any Channel) {
        let time = site.limits.request
        let write = { @Sendable (reply: Reply) in ReplyWriter.write(reply, to: channel, within: time) }
        switch path {
        case Self.socket: write(Reply(.upgradeRequired, "this address is a WebSocket"))
        case "/metrics": site.metrics(on: channel.eventLoop).whenSuccess(write)
        case "/live": site.health(on: channel.eventLoop, isReadiness: false).whenSuccess(write)
        case "/ready": site.health(on: channel.eventLoop, isReadiness: true).whenSuccess(write)
        default: write(PageFiles.reply(for: path) ?? Reply(.notFound, "there is nothing at this address"))
        }
    }
}
