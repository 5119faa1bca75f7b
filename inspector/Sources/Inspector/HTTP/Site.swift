import NIOCore
import NIOHTTP1
import Synchronization

/// What the server answers from the host, for each connection alike.
struct Site: Sendable {
    let options: InspectorOptions
    let limits: InspectorLimits
    let token: Token
    let log: @Sendable (String) -> Void
    private let warning = Warning()

    init(
        options: InspectorOptions, limits: InspectorLimits, token: Token,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.options, self.limits, self.token, self.log) = (options, limits, token, log)
    }

    /// The metrics of the app.
    func metrics(on loop: any EventLoop) -> EventLoopFuture<Reply> {
        ask(["counters", "metrics", "plugins"], on: loop).map { outcome in
            switch outcome {
            case .failure(let failure): return Reply(.serviceUnavailable, failure.message)
            case .success(let answers):
                let page = MetricsPage(answers, process: ProcessMetrics(of: answers.greeting.process))
                if page.series > limits.series, warning.isFirst() {
                    log(
                        "warning: /metrics has \(page.series) series, more than \(limits.series): look for labels of plugins with many values"
                    )
                }
                return Reply(
                    .ok, type: "text/plain; version=0.0.4; charset=utf-8", content: Array(page.text.utf8))
            }
        }
    }

    /// Whether the host answers; for readiness, also whether the app has begun and its journal is written.
    func health(on loop: any EventLoop, isReadiness: Bool) -> EventLoopFuture<Reply> {
        ask(["counters"], on: loop).map { outcome in
            Health(outcome, isReadiness: isReadiness).reply
        }
    }

    private func ask(
        _ requests: [String], on loop: any EventLoop
    ) -> EventLoopFuture<Result<HostAnswers, HostFailure>> {
        HostQuestions.ask(requests, socket: options.socket, limits: limits, on: loop)
    }
}

/// A warning that is logged once: anyone who can reach the server can ask for the metrics again and again.
private final class Warning: Sendable {
    private let isGiven = Atomic<Bool>(false)

    func isFirst() -> Bool { !isGiven.exchange(true, ordering: .relaxed) }
}
