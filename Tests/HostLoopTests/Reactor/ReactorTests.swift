import Dispatch
import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Observation
import Testing

/// Reactors beyond the README of the original: threads, re-entrancy, ends and failures.
@Suite struct ReactorTests {
    /// A reactor of numbers that are added up: zero fails, even ones come asynchronously.
    // Safe because it adds immutable properties and locks only.
    private class Sum: BaseReactor<Int, Int, Int>, @unchecked Sendable {
        let failures = Box<[String]>([])
        let pending = HandSource<Int>()

        init(_ value: Int = 0) { super.init(initialState: value) }

        override func mutate(action: Int) -> Mutations<Int> {
            switch action {
            case 0: Mutations(async: .fail(Counting.Failure()))
            case 100: Mutations(sync: 1, async: pending.flow)
            default: [action]
            }
        }

        override func reduce(state: Int, mutation: Int) -> Int { state + mutation }

        override func failed(with error: any Error) {
            failures.change { $0.append("\(error)") }
        }
    }

    @Test func severalSynchronousMutationsAreAppliedWithNothingBetween() {
        // Safe because it adds nothing.
        final class Twice: BaseReactor<Int, Int, [Int]>, @unchecked Sendable {
            init() { super.init(initialState: []) }
            override func mutate(action: Int) -> Mutations<Int> { [action, action] }
            override func reduce(state: [Int], mutation: Int) -> [Int] { state + [mutation] }
        }
        let reactor = Twice()
        DispatchQueue.concurrentPerform(iterations: 1_000) { reactor.action($0) }
        let state = reactor.state
        #expect(state.count == 2_000)
        #expect(stride(from: 0, to: 2_000, by: 2).allSatisfy { state[$0] == state[$0 + 1] })
    }

    @Test func anActionWithinAStateIsAppliedAtOnceAndItsStateFollows() {
        let reactor = Sum()
        let lines = Box<[String]>([])
        let subscription = reactor.states.sink { [weak reactor] state in
            lines.change { $0.append("\(state)") }
            guard state == 1, let reactor else { return }
            reactor.action(10)
            lines.change { $0.append("applied \(reactor.state)") }
        }
        reactor.action(1)
        #expect(lines.value == ["0", "1", "applied 11", "11"])
        subscription.cancel()
    }

    @Test func whoSubscribesGetsTheCurrentStateFirst() {
        let reactor = Sum(5)
        reactor.action(1)
        let seen = Box<[Int]>([])
        let subscription = reactor.states.sink { state in seen.change { $0.append(state) } }
        reactor.action(1)
        #expect(seen.value == [6, 7])
        subscription.cancel()
        reactor.action(1)
        #expect(seen.value == [6, 7])
    }

    @Test func aFailedMutationIsReportedAndTheReactorContinues() {
        let reactor = Sum()
        reactor.action(0)
        reactor.action(100)
        reactor.pending.emit(5)
        #expect(reactor.state == 6)
        #expect(reactor.failures.value == [#"Failure(text: "no")"#])
    }

    @Test func asynchronousMutationsEndWithTheReactor() {
        weak var gone: Sum?
        let pending: HandSource<Int>
        do {
            let reactor = Sum()
            reactor.action(100)
            pending = reactor.pending
            #expect(pending.count == 1)
            gone = reactor
        }
        #expect(gone == nil)
        #expect(pending.cancelled == [0])
    }

    @Test func aTransformedActionWithinAnotherFollowsIt() {
        // Safe because it adds a lock only.
        final class Filtering: BaseReactor<Int, Int, [Int]>, @unchecked Sendable {
            init() { super.init(initialState: []) }
            override func transform(action: Flow<Int>) -> Flow<Int> { action.removeDuplicates() }
            override func mutate(action: Int) -> Mutations<Int> {
                if action == 1 { self.action(2) }
                return [action]
            }
            override func reduce(state: [Int], mutation: Int) -> [Int] { state + [mutation] }
        }
        let reactor = Filtering()
        reactor.action(1)
        reactor.action(2)
        reactor.action(3)
        #expect(reactor.state == [1, 2, 3])
        DispatchQueue.concurrentPerform(iterations: 1_000) { reactor.action($0 + 10) }
        #expect(reactor.state.count == 1_003)
    }

    @Test func withATransformOfStatesTheStateIsWhatComesOut() {
        // Safe because it adds nothing.
        final class Doubling: BaseReactor<Int, Int, Int>, @unchecked Sendable {
            init() { super.init(initialState: 1) }
            override func mutate(action: Int) -> Mutations<Int> { [action] }
            override func reduce(state: Int, mutation: Int) -> Int { state + mutation }
            override func transform(state: Flow<Int>) -> Flow<Int> {
                state.filter { $0 != 3 }.map { $0 * 2 }
            }
        }
        let reactor = Doubling()
        #expect(reactor.state == 2)
        reactor.action(2)
        #expect(reactor.state == 2)
        reactor.action(1)
        #expect(reactor.state == 8)
    }

    @Test func aTransformMaySubscribeAsideAndAnswerWhatItWasGiven() {
        // Safe because it adds locks only.
        final class Watching: BaseReactor<Int, Int, Int>, @unchecked Sendable {
            let seen = Box<[String]>([])
            let subscriptions = Box<[Subscription]>([])
            init() { super.init(initialState: 0) }
            override func mutate(action: Int) -> Mutations<Int> { [action] }
            override func reduce(state: Int, mutation: Int) -> Int { state + mutation }
            override func transform(action: Flow<Int>) -> Flow<Int> {
                let subscription = action.sink { [seen] action in
                    seen.change { $0.append("action \(action)") }
                }
                subscriptions.change { $0.append(subscription) }
                return action
            }
            override func transform(state: Flow<Int>) -> Flow<Int> {
                let subscription = state.sink { [seen] state in seen.change { $0.append("state \(state)") } }
                subscriptions.change { $0.append(subscription) }
                return state
            }
        }
        let reactor = Watching()
        reactor.action(1)
        reactor.action(2)
        #expect(reactor.state == 3)
        #expect(reactor.seen.value == ["state 0", "action 1", "state 1", "action 2", "state 3"])
    }

    @Test func theStateIsTrackedByObservation() {
        let reactor = Sum()
        let seen = Box<[Int]>([])
        _ = withObservationTracking {
            reactor.state
        } onChange: { [weak reactor] in
            seen.change { $0.append(reactor?.state ?? -1) }
        }
        reactor.action(3)
        reactor.action(3)
        #expect(seen.value == [3])
    }

    @Test func aBindingShowsThePartAndActsOnIt() {
        let reactor = Sum(1)
        @Binding var viaAction: Int
        _viaAction = reactor.mutate(binding: \.self) { $0 }
        viaAction = 4
        #expect(viaAction == 5)
        let binding = reactor.reduce(binding: \.self) { $0 * 10 }
        binding.wrappedValue = 1
        #expect(binding.wrappedValue == 15)
    }

    private final class Unstarted: Reactor {
        let core = ReactorCore<Int, Int, Int>(initialState: 7)
    }

    @Test func aReactorThatWasNotStartedHasItsInitialState() async throws {
        #expect(Unstarted().state == 7)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Unstarted().action(1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("a reactor was used before `createStateStream()`"))
    }

    @Test func startingTwiceFails() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let reactor = Unstarted()
            reactor.createStateStream()
            reactor.createStateStream()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("`createStateStream()` was called twice"))
    }
}
