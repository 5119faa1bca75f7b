import NIOCore

/// The answers of the host to some requests without keys.
struct HostAnswers: Sendable {
    let greeting: HostGreeting
    private let answers: [String: JSON]

    init(greeting: HostGreeting, answers: [String: JSON]) {
        (self.greeting, self.answers) = (greeting, answers)
    }

    /// The answer to a request; null if it was not asked.
    subscript(request: String) -> JSON { answers[request] ?? .null }
}

/// Asks the host on a connection of its own, and ends the connection.
final class HostQuestions: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: [String]
    private let promise: EventLoopPromise<HostAnswers>
    /// Whether the host has answered to hello.
    private var isGreeted = false
    private var greeting: HostGreeting?
    private var answers: [String: JSON] = [:]

    private init(_ requests: [String], _ promise: EventLoopPromise<HostAnswers>) {
        (self.requests, self.promise) = (requests, promise)
    }

    /// - Parameter requests: the names of the requests, each once.
    /// - Returns: the answers, or the reason why the host gives none. The future does not fail.
    static func ask(
        _ requests: [String], socket: String, limits: InspectorLimits, on loop: any EventLoop
    ) -> EventLoopFuture<Result<HostAnswers, HostFailure>> {
        let promise = loop.makePromise(of: HostAnswers.self)
        let deadline = loop.scheduleTask(in: limits.host) { promise.fail(HostFailure.noAnswer) }
        let connected = HostSocket.connect(socket, on: loop, limits: limits) {
            HostQuestions(requests, promise)
        }
        connected.whenFailure { promise.fail($0) }
        return promise.futureResult.map { Result<HostAnswers, HostFailure>.success($0) }
            .recover { .failure($0 as? HostFailure ?? .ended) }
            .always { _ in
                deadline.cancel()
                connected.whenSuccess { $0.close(promise: nil) }
            }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = Array(unwrapInboundIn(data).readableBytesView)
        do { try take(line, context) } catch { promise.fail(error) }
    }

    private func take(_ line: [UInt8], _ context: ChannelHandlerContext) throws(HostFailure) {
        guard var greeting else {
            greeting = try HostGreeting(line)
            let lines = [HostGreeting.hello] + requests.map { #"{"request":"\#($0)"}"# }
            let text = lines.map { "\($0)\n" }.joined()
            return context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
        if !isGreeted {
            try greeting.take(line)
            isGreeted = true
            return self.greeting = greeting
        }
        guard let value = try? JSONParser.value(of: line) else {
            throw HostFailure(code: "no-answer", message: "the host answers with something that is not JSON")
        }
        guard value["ok"] != nil, answers.count < requests.count else { return }
        answers[requests[answers.count]] = value
        if answers.count == requests.count {
            promise.succeed(HostAnswers(greeting: greeting, answers: answers))
        }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(HostFailure.ended) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(HostFailure.ended)
        context.close(promise: nil)
    }
}
