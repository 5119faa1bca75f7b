import NIOCore
import NIOWebSocket

/// The WebSocket of one page. It passes lines between the page and the host in both directions.
final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private enum State {
        /// The page has not shown the token yet.
        case new
        case open
        /// One side has said that it closes.
        case closing
    }

    private let site: Site
    private var state = State.new
    private var frames: PageFrames
    private var answers = PageAnswers()
    private var link: HostLink?
    private var failure: HostFailure?
    private var hasHost = false
    /// Whether the page has sent something since the last ping.
    /// Whether the server reads what the page sends.
    private var reads = true
    private var isAlive = true
    private var timer: Scheduled<Void>?
    private var stall: Scheduled<Void>?
    private var pings: RepeatedTask?

    init(_ site: Site) {
        self.site = site
        frames = PageFrames(most: site.limits.message)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = schedule(context, site.limits.hello) { $0.close(4400, $1) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(
            initialDelay: site.limits.ping, delay: site.limits.ping
        ) {
            _ in
            let (handler, context) = bound.value
            handler.ping(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else { return context.close(promise: nil) }
        close(error == .invalidFrameLength ? 1009 : 1002, context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Connections.ServerEnds { close(1001, context, atOnce: true) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isAlive = true
        let frame = unwrapInboundIn(data)
        // Nothing of a page that broke the rules is kept.
        if state == .closing {
            if frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        switch frames.take(frame) {
        case .text(let text): take(text, context)
        case .ping(let data): write(.pong, data, context)
        case .close(let code): close(code ?? 1000, context, atOnce: true)
        case .nothing: break
        case .fault(let code): close(code, context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        if !context.channel.isWritable {
            stall = schedule(context, site.limits.stall) { handler, context in
                handler.site.log("a page read too slowly and was cut off")
                context.close(promise: nil)
            }
        }
        balance(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Messages

    private func take(_ text: ByteBuffer, _ context: ChannelHandlerContext) {
        let request = PageRequest(Array(text.readableBytesView), write: site.options.write)
        guard state == .open else {
            guard case .hello(let token) = request else { return close(4400, context) }
            guard site.token.matches(token) else { return close(4401, context) }
            return open(context)
        }
        switch request {
        case .hello:
            send(
                answers.answer(PageRequest.fault("unknown-request", "the page has said hello before")),
                context)
        case .answer(let line): send(answers.answer(line), context)
        case .host:
            if hasHost, link?.send(text) == true {
                answers.awaitHost()
            } else {
                send(answers.answer(PageLine.noHost(failure)), context)
            }
        }
        balance(context)
    }

    private func open(_ context: ChannelHandlerContext) {
        timer?.cancel()
        state = .open
        send([PageLine.hello(write: site.options.write)], context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        link = HostLink(site.options.socket, limits: site.limits, on: context.eventLoop) { event in
            let (handler, context) = bound.value
            handler.take(event, context)
        }
        link?.start()
    }

    private func take(_ event: HostLink.Event, _ context: ChannelHandlerContext) {
        guard state == .open else { return }
        switch event {
        case .up(let greeting):
            hasHost = true
            send([PageLine.up(greeting)], context)
        case .down(let failure):
            hasHost = false
            self.failure = failure
            send(answers.hostLeft(PageLine.noHost(failure)) + [PageLine.down(failure)], context)
        case .line(let line): pass(line, context)
        case .writable: break
        }
        balance(context)
    }

    /// Passes a line from the host to the page.
    private func pass(_ line: ByteBuffer, _ context: ChannelHandlerContext) {
        var following: [String] = []
        // The host writes this key first, in answers only.
        if line.readableBytesView.starts(with: #"{"ok":"#.utf8) {
            guard let lines = answers.hostAnswered() else { return }
            following = lines
        }
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: line)), promise: nil)
        send(following, context)
    }

    private func send(_ lines: [String], _ context: ChannelHandlerContext) {
        for line in lines {
            let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: line))
            context.write(wrapOutboundOut(frame), promise: nil)
        }
        context.flush()
    }

    // MARK: - Bounds

    /// Reads from each side only while the other one takes what it sends.
    private func balance(_ context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        link?.pause(!isWritable)
        reads = isWritable && answers.count < site.limits.requests && link?.isWritable != false
        context.channel.setOption(.autoRead, value: reads || state == .closing).whenFailure { _ in }
    }

    private func ping(_ context: ChannelHandlerContext) {
        // A page that does not read is cut off by its own limit.
        guard context.channel.isWritable else { return }
        guard isAlive || !reads else { return context.close(promise: nil) }
        isAlive = false
        write(.ping, ByteBuffer(), context)
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// Closes with a code. The connection ends when the page has answered, or after the time for the first message.
    ///
    /// - Parameter atOnce: the connection does not wait for the page.
    private func close(_ code: UInt16, _ context: ChannelHandlerContext, atOnce: Bool = false) {
        guard state != .closing else { return }
        state = .closing
        link?.end()
        timer?.cancel()
        write(.connectionClose, ByteBuffer(integer: code), context)
        guard !atOnce else { return context.close(promise: nil) }
        timer = schedule(context, site.limits.hello) { $1.close(promise: nil) }
        balance(context)
    }

    private func end() {
        for scheduled in [timer, stall] { scheduled?.cancel() }
        pings?.cancel()
        link?.end()
    }

    private func schedule(
        _ context: ChannelHandlerContext, _ time: TimeAmount,
        _ body: @escaping (PageHandler, ChannelHandlerContext) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) {
            let (handler, context, body) = bound.value
            body(handler, context)
        }
    }
}
