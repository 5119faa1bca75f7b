import HostLoop
public import Manifest
import Records

/// One loop of a manifest for a test, on the calling thread: the app's own reducer, and the feedbacks for
/// whose effects the test has doubles.
// Safe because the engine runs on the caller's thread, one call at a time.
final class TestLoop: LoopObserver, @unchecked Sendable {
    /// A loop never rests that continues for so many steps after the test's own events.
    static let mostSteps = 10_000

    /// `AppEvent.message` of the test's own events, which come from outside. No other event has a message.
    private static let given = 0

    private let model: LoopModel
    private let manifest: Manifest
    private let test: TestModel
    private let frame: ExpressionFrame
    private let native: NativeReducer?
    private let reducer: DeclarativeReducer
    private var entries: [TestOutcome.Entry] = []
    private var state: Record
    private var steps = 0
    // The number of the test's events that have reached the reducer.
    private var taken = 0
    private var isEndless = false
    private var isStopped = false

    init(_ test: TestModel, in manifest: Manifest, _ libraries: ReducerLibraries?) {
        (self.test, self.manifest) = (test, manifest)
        model = manifest.loops[test.loop]
        frame = ExpressionFrame(config: manifest.config, bindings: model.bindings)
        native = libraries?.reducer(of: model)
        reducer = DeclarativeReducer(model, frame: frame)
        state = test.given
    }

    /// Runs the test until nothing can happen any more.
    func run() -> TestOutcome {
        if model.readsNow { frame.takeTime() }
        let clock = TestClock()
        let spin = Spin<Record, AppEvent>(
            initialState: test.given,
            reducer: Reducer { [self] (state: inout Record, event: AppEvent) in
                if event.message == Self.given { taken += 1 }
                return try native.reduce(&state, event, orAsDeclared: reducer)
            },
            // The test's events come first, so that they are queued before any event of the first state.
            feedbacks: [events] + feedbacks, until: until, executor: .caller, clock: clock)
        let loop = spin.start(observers: [self])
        while !isStopped, clock.advance() {}
        loop.stop()
        return TestOutcome(
            given: test.given, entries: entries, differences: differences,
            eventsAfterEnd: isEndless ? 0 : test.events.count - taken, isEndless: isEndless)
    }

    /// Sends the test's events, all at once, when the loop begins.
    private var events: Feedback<Record, AppEvent> {
        let events = test.events.map {
            AppEvent(index: $0.index, payload: $0.payload, message: Self.given)
        }
        return .onChange("the test") {
            var hasBegun = false
            return RequestMemory(
                change: { _ in
                    defer { hasBegun = true }
                    return hasBegun ? .same : .new
                },
                effect: { _, run in
                    run.emit(contentsOf: events)
                    return .finished
                })
        }
    }

    private var feedbacks: [Feedback<Record, AppEvent>] {
        let context = LoopContext(
            model: model, config: manifest.config, gears: manifest.gears,
            runningGears: AppGears(manifest.gears, between: []), frame: frame, pool: EventPool(),
            drops: DropCount(), origin: RunKeys.Origin())
        return test.doubles.map { double in
            let feedback = model.feedbacks[double.feedback]
            let target = feedback.effect.map { EffectTarget.double(EffectDouble($0, double.answers)) }
            let reporter = RunReporter(drops: context.drops) { [unowned self] fault, _ in
                faulted(fault, in: feedback)
            }
            return DeclaredFeedback(feedback.onLoop, context, target ?? .nothing, reporter).feedback
        }
    }

    private var until: @Sendable (Record) throws -> Bool {
        { [self] state in
            if steps > test.events.count + Self.mostSteps {
                isEndless = true
                return true
            }
            guard let condition = model.until else { return false }
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
        steps += 1
        state = step.after
        let isGiven = step.event.message == Self.given && model.events[step.event.index].delay == nil
        entries.append(.step(AppStep(step, of: model, message: isGiven ? "external" : nil, now: nil)))
    }

    func unhandled(_ event: AppEvent, from origin: EventOrigin) {
        entries.append(.unhandled(model.events[event.index].name, event.payload))
    }

    func faulted(_ fault: LoopFault) { entries.append(.fault(AppFault(fault, in: model))) }

    /// A run could not send its events or messages.
    private func faulted(_ fault: RunFault, in feedback: FeedbackModel) {
        entries.append(
            .fault(
                AppFault(
                    fault, loop: model.name, step: UInt64(steps), part: "feedback:\(feedback.name)")))
    }

    func stopped(_ reason: StopReason) { isStopped = true }
}

extension FeedbackModel {
    /// The same feedback for doubles, which answer at once, and the same each time.
    fileprivate var onLoop: FeedbackModel {
        FeedbackModel(
            name: name, effect: effect, trigger: trigger, executor: .loop,
            timing: FeedbackTiming(
                debounce: timing.debounce, delay: timing.delay, timeout: timing.timeout, retry: .never),
            variants: variants, isDisabled: isDisabled, isDurable: isDurable, recovery: recovery,
            declared: declared, span: span)
    }
}

extension TestModel {
    /// Runs the test; opens no library.
    ///
    /// - Parameters:
    ///   - manifest: the one that the test is of.
    ///   - libraries: the plugin of the loop's native reducer; nil if it has none.
    public func run(in manifest: Manifest, libraries: ReducerLibraries? = nil) -> TestOutcome {
        TestLoop(self, in: manifest, libraries).run()
    }
}
