import NIOCore
import NIOHTTP1

/// Lets one request of a connection through, if it is allowed, and answers any other one itself. It closes a
/// connection that takes too long.
final class RequestGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let `guard`: HostGuard
    private let time: TimeAmount
    private var hasRequest = false
    private var isRefused = false
    private var deadline: Scheduled<Void>?

    /// - Parameter time: the time for the request.
    init(_ guard: HostGuard, time: TimeAmount) {
        self.guard = `guard`
        self.time = time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            bound.value.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // A further request on the connection gets no answer.
            guard !hasRequest else { return isRefused = true }
            hasRequest = true
            deadline?.cancel()
            if let reply = refusal(of: head) {
                refuse(reply, context)
            } else {
                context.fireChannelRead(data)
            }
        case .body: refuse(Reply(.payloadTooLarge, "a request has no body"), context)
        case .end: context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasRequest, !isRefused else { return context.close(promise: nil) }
        switch error {
        case is HeadLimit.TooLong:
            refuse(Reply(.requestHeaderFieldsTooLarge, "the head of the request is too long"), context)
        case is HTTPParserError: refuse(Reply(.badRequest, "this is not a request of HTTP/1.1"), context)
        default: context.close(promise: nil)
        }
    }

    private func refusal(of head: HTTPRequestHead) -> Reply? {
        guard head.version == .http1_1 else { return Reply(.httpVersionNotSupported, "speak HTTP/1.1") }
        if let reason = `guard`.refusal(hosts: head.headers["Host"], origins: head.headers["Origin"]) {
            return Reply(.forbidden, reason)
        }
        guard head.method == .GET else {
            var reply = Reply(.methodNotAllowed, "use GET")
            reply.allow = "GET"
            return reply
        }
        let hasBody =
            head.headers.contains(name: "Transfer-Encoding")
            || head.headers["Content-Length"].contains { $0 != "0" }
        return hasBody ? Reply(.payloadTooLarge, "a request has no body") : nil
    }

    private func refuse(_ reply: Reply, _ context: ChannelHandlerContext) {
        isRefused = true
        deadline?.cancel()
        ReplyWriter.write(reply, to: context.channel, within: time)
    }
}
