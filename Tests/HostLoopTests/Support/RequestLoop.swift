import HostLoop
import HostLoopTesting

/// A loop whose events set its requests, or are recorded.
enum RequestLoop {
    struct Request: Hashable, Sendable {
        var key: String
        var value: Int
    }

    struct State: Sendable {
        var asks: [Request] = []
        var heard: [String] = []

        var values: [String: Int] {
            Dictionary(asks.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        }
    }

    enum Event: Sendable, CustomStringConvertible {
        case ask([Request])
        case heard(String)
        /// Queues events as one entry.
        case together([Event])

        static func ask(_ asks: KeyValuePairs<String, Int>) -> Event {
            .ask(asks.map { Request(key: $0.key, value: $0.value) })
        }

        var description: String {
            switch self {
            case .ask(let asks): "ask " + asks.map { "\($0.key)\($0.value)" }.joined(separator: " ")
            case .heard(let text): text
            case .together: "together"
            }
        }
    }

    typealias Log = LoopLog<State, Event>

    static let reducer = Reducer<State, Event> { (state: inout State, event: Event) -> Bool in
        switch event {
        case .ask(let asks): state.asks = asks
        case .heard(let text): state.heard.append(text)
        case .together: break
        }
        return true
    }

    /// The first feedback takes the events of `together` split.
    static func spin(
        executor: LoopExecutor = .caller, _ feedbacks: Feedback<State, Event>...
    ) -> Spin<State, Event> {
        let split = Feedback<State, Event>.onEvent("together") { _, event, run in
            guard case .together(let events) = event else { return .finished }
            run.emit(contentsOf: events)
            return .finished
        }
        return Spin(
            initialState: State(), reducer: reducer, feedbacks: [split] + feedbacks, executor: executor,
            clock: ManualClock())
    }
}

/// Runs that were started for requests, which a test keeps.
final class RequestRuns: Sendable {
    private let started = Box<[(name: String, run: Run<RequestLoop.Event>)]>([])

    var names: [String] { started.value.map(\.name) }

    /// The newest run of that name.
    subscript(name: String) -> Run<RequestLoop.Event> { started.value.last { $0.name == name }!.run }

    func keep(_ name: String, _ run: Run<RequestLoop.Event>) {
        started.change { $0.append((name, run)) }
    }

    func start(_ ask: RequestLoop.Request, _ run: Run<RequestLoop.Event>) -> EffectStatus {
        keep("\(ask.key)\(ask.value)", run)
        return .pending
    }

    func finishAll() {
        for (_, run) in started.value { run.finish() }
    }
}

extension LoopLog {
    /// The lines about runs and their events, without steps.
    var runLines: [String] {
        lines.filter { line in
            ["run each", "end each", "cancel each", "withdrawn", "late"].contains { line.hasPrefix($0) }
        }
    }
}
