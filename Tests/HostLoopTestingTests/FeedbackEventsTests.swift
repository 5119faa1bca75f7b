import HostLoop
import HostLoopFlow
import HostLoopTesting
import TestSupport
import Testing

/// A feedback on given states, without a reducer.
@Suite(.timeLimit(.minutes(10))) struct FeedbackEventsTests {
    private struct Failure: Error {}

    /// Collects the events of a flow, and its completion.
    private final class Events: Sendable {
        private final class Lines: Sendable {
            let all = Lock<[String]>([])
            func append(_ line: String) { all.withLock { $0.append(line) } }
        }

        private let lines: Lines
        private let subscription: Subscription

        init(_ flow: Flow<String>, clock: ManualClock = ManualClock()) {
            let lines = Lines()
            self.lines = lines
            subscription = flow.sink(clock: clock) { completion in
                switch completion {
                case .finished: lines.append("finished")
                case .failure(let error): lines.append("failed: \(error)")
                }
            } receiveValue: {
                lines.append($0)
            }
        }

        var text: [String] { lines.all.withLock { $0 } }
        func cancel() { subscription.cancel() }
    }

    private static let naming = Feedback<Int, String>.onState(
        "name", where: { $0 > 0 }, effect: { "state \($0)" })

    @Test func eventsOfEachStateComeInOrder() {
        #expect(
            Events(Self.naming.events(for: .of(0, 1, 1, 2))).text == [
                "state 1", "state 1", "state 2", "finished",
            ])
        #expect(Events(Self.naming.events(for: .none)).text == ["finished"])
        #expect(Events(Self.naming.events(for: .fail(Failure()))).text == ["failed: Failure()"])
    }

    @Test func theStrategyHolds() {
        let clock = ManualClock()
        func delayed(_ strategy: Strategy) -> Flow<String> {
            Feedback<Int, String>.onState(
                "late", strategy: strategy, flow: { Flow.just("late \($0)").delay(for: .seconds($0)) }
            ).events(for: .of(2, 1))
        }
        let cancelling = Events(delayed(.cancelOnNewState), clock: clock)
        let continuing = Events(delayed(.continueOnNewState), clock: clock)
        #expect(cancelling.text == [] && continuing.text == [])
        clock.advance(by: .seconds(1))
        #expect(cancelling.text == ["late 1", "finished"])
        #expect(continuing.text == ["late 1"])
        clock.advance(by: .seconds(1))
        #expect(continuing.text == ["late 1", "late 2", "finished"])
    }

    @Test func theEndOfTheSubscriptionCancelsTheEffect() {
        let isCancelled = Lock(false)
        let feedback = Feedback<Int, String>.onState(
            run: { _, run in
                run.onCancel {
                    isCancelled.exchange(true)
                    run.finish()
                }
                return .pending
            })
        let events = Events(feedback.events(for: .just(1)))
        #expect(events.text == [])
        events.cancel()
        #expect(isCancelled.withLock { $0 })
        #expect(events.text == [])
    }

    @Test func aFeedbackOfAnyValuesIsTestedToo() {
        struct Loading: Sendable {}
        let feedback = Feedback<any Sendable, String>.onState("any", effect: { "\(type(of: $0))" })
        #expect(Events(feedback.events(for: .of(Loading(), 3))).text == ["Loading", "Int", "finished"])
    }
}
