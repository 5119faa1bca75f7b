import HostLoop
public import Manifest
import Records

/// One loop of a manifest with nothing but its reducer, for a test: the app's own reducer on the calling thread.
// Safe because the engine runs on the caller's thread, one thing at a time.
final class TestLoop: LoopObserver, @unchecked Sendable {
    private let model: LoopModel
    private let test: TestModel
    private let frame: ExpressionFrame
    private let reducer: DeclarativeReducer
    private var entries: [TestOutcome.Entry] = []
    private var state: Record

    init(_ test: TestModel, in manifest: Manifest) {
        self.test = test
        model = manifest.loops[test.loop]
        frame = ExpressionFrame(config: manifest.config)
        reducer = DeclarativeReducer(model, frame: frame)
        state = test.given
    }

    /// Runs the test.
    func run() -> TestOutcome {
        let spin = Spin<Record, AppEvent>(
            initialState: test.given,
            reducer: Reducer { [self] (state: inout Record, event: AppEvent) in
                try reducer.reduce(&state, event)
            },
            feedbacks: [], until: until, executor: .caller)
        let loop = spin.start(observers: [self])
        var late = 0
        for event in test.events {
            if loop.emit(AppEvent(index: event.index, payload: event.payload)) == .stopped { late += 1 }
        }
        loop.stop()
        return TestOutcome(
            given: test.given, entries: entries, differences: differences, eventsAfterEnd: late)
    }

    private var until: (@Sendable (Record) throws -> Bool)? {
        guard let condition = model.until else { return nil }
        return { [self] state in
            // Safe because the engine keeps the state while it asks.
            unsafe frame.bind(.state, to: state.unsafeBase)
            return try condition.holds(frame)
        }
    }

    private var differences: [TestOutcome.Difference] {
        let last = state.value
        return test.expectations.compactMap { expectation in
            let found = expectation.path.reduce(Optional(last)) { $0?[$1] }
            guard found != expectation.value else { return nil }
            return TestOutcome.Difference(
                path: expectation.path.joined(separator: "."), expected: expectation.value, found: found,
                span: expectation.span)
        }
    }

    func stepped(_ step: LoopStep<Record, AppEvent>) {
        state = step.after
        entries.append(.step(AppStep(step, of: model, now: nil)))
    }

    func unhandled(_ event: AppEvent, from origin: EventOrigin) {
        entries.append(.unhandled(model.events[event.index].name, event.payload))
    }

    func faulted(_ fault: LoopFault) { entries.append(.fault(AppFault(fault, of: model))) }
}

extension TestModel {
    /// Runs the test; opens no library.
    ///
    /// - Parameter manifest: the one that the test is of.
    public func run(in manifest: Manifest) -> TestOutcome { TestLoop(self, in: manifest).run() }
}
