import NIOCore

/// The connection of one page to the host. It connects again by itself until `end` is called.
///
/// Everything happens on one event loop.
final class HostLink {
    /// What the link reports.
    enum Event {
        case up(HostGreeting)
        case down(HostFailure)
        /// A line of the host, without its end.
        case line(ByteBuffer)
        /// The host takes lines again.
        case writable
    }

    private let path: String
    private let limits: InspectorLimits
    private let loop: any EventLoop
    private var report: ((Event) -> Void)?
    private var channel: (any Channel)?
    private var pause: TimeAmount
    private var isPaused = false
    private var failure: HostFailure?
    private var retry: Scheduled<Void>?

    /// - Parameter report: called on the event loop until `end`.
    init(_ path: String, limits: InspectorLimits, on loop: any EventLoop, report: @escaping (Event) -> Void) {
        (self.path, self.limits, self.loop, self.report) = (path, limits, loop, report)
        pause = limits.retry.first
    }

    /// Connects to the host.
    func start() {
        guard report != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        HostSocket.connect(path, on: loop, limits: limits) { [limits] in
            HostDialogue(bound.value, time: limits.host)
        }
        .whenFailure { error in bound.value.lost(error as? HostFailure ?? .ended) }
    }

    /// Sends a line, which must not contain a line end.
    ///
    /// - Returns: false if there is no host.
    func send(_ line: ByteBuffer) -> Bool {
        guard let channel else { return false }
        channel.write(line, promise: nil)
        channel.writeAndFlush(ByteBuffer(string: "\n"), promise: nil)
        return true
    }

    /// Whether the host takes more lines at once.
    var isWritable: Bool { channel?.isWritable ?? true }

    /// Reads nothing of the host, or reads again. The host then keeps little, and counts the rest as skipped.
    func pause(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        channel?.setOption(.autoRead, value: !isPaused).whenFailure { _ in }
    }

    /// Ends the connection and reports nothing more.
    func end() {
        report = nil
        retry?.cancel()
        channel?.close(promise: nil)
        channel = nil
    }

    fileprivate func came(_ greeting: HostGreeting, _ channel: any Channel) {
        guard let report else { return channel.close(promise: nil) }
        self.channel = channel
        pause = limits.retry.first
        failure = nil
        if isPaused { channel.setOption(.autoRead, value: false).whenFailure { _ in } }
        report(.up(greeting))
    }

    fileprivate func received(_ line: ByteBuffer) { report?(.line(line)) }

    fileprivate func becameWritable() { if let report, channel != nil { report(.writable) } }

    fileprivate func lost(_ failure: HostFailure) {
        channel = nil
        guard let report else { return }
        // The same reason is not reported again.
        if self.failure != failure {
            self.failure = failure
            report(.down(failure))
        }
        let bound = NIOLoopBound(self, eventLoop: loop)
        retry = loop.scheduleTask(in: pause) { bound.value.start() }
        pause = min(pause * 2, limits.retry.last)
    }
}

/// Says hello to the host, then passes its lines on.
private final class HostDialogue: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let link: HostLink
    private let time: TimeAmount
    private var greeting: HostGreeting?
    private var isUp = false
    private var failure = HostFailure.ended
    private var deadline: Scheduled<Void>?

    init(_ link: HostLink, time: TimeAmount) { (self.link, self.time) = (link, time) }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.fail(.noAnswer, context)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        guard !isUp else { return link.received(line) }
        do throws(HostFailure) {
            guard var greeting else {
                greeting = try HostGreeting(Array(line.readableBytesView))
                return context.channel.writeAndFlush(
                    ByteBuffer(string: "\(HostGreeting.hello)\n"), promise: nil)
            }
            try greeting.take(Array(line.readableBytesView))
            isUp = true
            deadline?.cancel()
            link.came(greeting, context.channel)
        } catch { fail(error, context) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { link.becameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        link.lost(failure)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(.ended, context) }

    private func fail(_ failure: HostFailure, _ context: ChannelHandlerContext) {
        self.failure = failure
        context.close(promise: nil)
    }
}
