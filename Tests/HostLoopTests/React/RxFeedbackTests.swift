import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// The README cases of RxFeedback, and the life of requests as its tests have it.
@Suite(.timeLimit(.minutes(10))) struct RxFeedbackTests {
    private enum Counter: Sendable { case increment, decrement }

    private static let counting: @Sendable (Int, Counter) -> Int = { state, event in
        switch event {
        case .increment: state + 1
        case .decrement: state - 1
        }
    }

    @Test func rf1_aSystemIsAFlowOfStatesThatBeginsWhenItIsSubscribedTo() {
        let starts = Box(0)
        let system = Flow<Int>.system(
            initialState: 0, reduce: { (state: Int, event: Int) in state + event }, scheduler: .caller,
            feedback: .onState("one") { state -> Int? in
                starts.change { $0 += 1 }
                return state < 3 ? 1 : nil
            })
        #expect(starts.value == 0)
        let (first, second) = (Box<[Int]>([]), Box<[Int]>([]))
        let one = system.sink { state in first.change { $0.append(state) } }
        let two = system.sink { state in second.change { $0.append(state) } }
        // The initial state first, and each subscription is a system of its own.
        #expect(first.value == [0, 1, 2, 3])
        #expect(second.value == [0, 1, 2, 3])
        #expect(starts.value == 8)
        withExtendedLifetime((one, two)) {}
    }

    @Test func rf2_aCounterIsBoundToItsLabelAndButtons() {
        let plus = PassthroughMediator<Void>()
        let minus = PassthroughMediator<Void>()
        let label = Box<[String]>([])
        let states = Box<[Int]>([])
        let system = Flow<Int>.system(
            initialState: 0, reduce: Self.counting, scheduler: .caller,
            feedback: bind { state in
                Bindings(
                    subscriptions: [
                        state.map { String($0) }.sink { text in label.change { $0.append(text) } }
                    ],
                    events: [plus.flow.map { .increment }, minus.flow.map { .decrement }])
            })
        let subscription = system.sink { state in states.change { $0.append(state) } }
        plus.send(())
        plus.send(())
        minus.send(())
        #expect(label.value == ["0", "1", "2", "1"])
        #expect(states.value == [0, 1, 2, 1])
        subscription.cancel()
        plus.send(())
        #expect(label.value == ["0", "1", "2", "1"])
        #expect(states.value == [0, 1, 2, 1])
    }

    private enum Ball: Sendable { case humanHasIt, machineHasIt }
    private enum Throw: Sendable { case toMachine, toHuman }

    private func catching(_ human: PassthroughMediator<Throw>) -> Spin<Ball, Throw> {
        Spin(
            initialState: Ball.humanHasIt,
            reducer: Reducer { (_: Ball, event: Throw) -> Ball in
                event == .toMachine ? .machineHasIt : .humanHasIt
            },
            feedbacks: [
                bind { _ in Bindings(subscriptions: [], events: [human.flow]) },
                react(
                    request: { $0 == .machineHasIt ? true : nil },
                    effects: { _ in .timer(after: .seconds(1), Throw.toHuman) }),
            ], executor: .caller)
    }

    @Test func rf3_theMachineThrowsTheBallBackAfterASecond() {
        let clock = ManualClock()
        let human = PassthroughMediator<Throw>()
        let states = Box<[Ball]>([])
        let subscription = catching(human).on(executor: .caller, clock: clock).stream
            .sink { state in states.change { $0.append(state) } }
        human.send(.toMachine)
        clock.advance(by: .milliseconds(999))
        #expect(states.value == [.humanHasIt, .machineHasIt])
        clock.advance(by: .milliseconds(1))
        #expect(states.value == [.humanHasIt, .machineHasIt, .humanHasIt])
        human.send(.toMachine)
        subscription.cancel()
        clock.advance(by: .seconds(5))
        #expect(states.value.count == 4)
        #expect(clock.timerCount == 0)
    }

    private struct Page: Sendable, Equatable {
        var next: String? = "page1"
        var items: [String] = []
        var failed = false
        var loadNextPage: String? { failed ? nil : next }
    }

    private enum Response: Sendable {
        case loaded([String], next: String?)
        case failed
    }

    private struct Offline: Error {}

    // In the original a failure that the effect does not map ends the whole system.
    @Test func rf4_pagesAreLoadedOncePerResourceAndAFailureLeavesTheLoopAlive() {
        let loads = Box<[String]>([])
        let loop = Spin(
            initialState: Page(),
            reducer: Reducer { (page: inout Page, response: Response) -> Bool in
                switch response {
                case .loaded(let items, let next): (page.items, page.next) = (page.items + items, next)
                case .failed: page.failed = true
                }
                return true
            },
            feedbacks: [
                react(
                    request: { $0.loadNextPage },
                    effects: { resource -> Flow<Response> in
                        loads.change { $0.append(resource) }
                        switch resource {
                        case "page1": return .just(.loaded(["a", "b"], next: "page2"))
                        case "page2": return .just(.loaded(["c"], next: "page3"))
                        default: return .fail(Offline())
                        }
                    }
                ).catch { _ in .failed }
            ], executor: .caller
        ).start()
        #expect(loads.value == ["page1", "page2", "page3"])
        #expect(loop.state == Page(next: "page3", items: ["a", "b", "c"], failed: true))
        // The state changes, the request does not: nil, so nothing is loaded, and the loop goes on.
        loop.emit(.loaded(["d"], next: "page3"))
        #expect(loop.state.items == ["a", "b", "c", "d"])
        #expect(loads.value.count == 3)
    }

    @Test func aCompletedEffectIsRepeatedOnlyAfterItsRequestWasGoneOrDifferent() {
        let requests = Box<[Int]>([])
        let loop = Counting.spin(
            react(
                request: { $0 / 10 },
                effects: { request -> Flow<Int> in
                    requests.change { $0.append(request) }
                    return .none
                })
        ).start()
        loop.emit(1)
        loop.emit(10)
        loop.emit(-10)
        #expect(requests.value == [0, 1, 0])
    }

    @Test func membersThatStayAreKeptAndThoseThatGoAreCancelled() {
        let source = HandSource<Int>()
        let started = Box<[Int]>([])
        let loop = Spin<Set<Int>, Set<Int>>(
            initialState: [1, 2], reducer: Reducer { (_: Set<Int>, event: Set<Int>) -> Set<Int> in event },
            feedbacks: [
                react(
                    requests: { $0 },
                    effects: { request -> Flow<Set<Int>> in
                        started.change { $0.append(request) }
                        return source.flow.map { [$0] }
                    })
            ], executor: .caller
        ).start()
        #expect(started.value == [1, 2])
        loop.emit([2, 3])
        #expect(started.value == [1, 2, 3])
        #expect(source.cancelled == [0])
        loop.emit([1, 2, 3])
        #expect(started.value == [1, 2, 3, 1])
    }

    @Test func aChangedRequestOfAnIdFlowsIntoItsEffect() {
        let seen = Box<[String]>([])
        let loop = Spin<[String: Int], [String: Int]>(
            initialState: ["a": 1],
            reducer: Reducer { (_: [String: Int], event: [String: Int]) -> [String: Int] in event },
            feedbacks: [
                react(
                    requests: { $0 },
                    effects: { initial, requests -> Flow<[String: Int]> in
                        seen.change { $0.append("start \(initial)") }
                        return requests.onValue { value in seen.change { $0.append("\(value)") } }
                            .compactMap { _ in nil }
                    })
            ], executor: .caller
        ).start()
        loop.emit(["a": 2])
        loop.emit(["a": 2])
        loop.emit([:])
        loop.emit(["a": 3])
        #expect(seen.value == ["start 1", "1", "2", "start 3", "3"])
    }

    @Test func threeFeedbacksThatAnswerAtOnceTakeTurnsInOrderOfDeclaration() {
        func appending(_ letter: Character) -> Feedback<String, Character> {
            .onState("\(letter)", strategy: .continueOnNewState) { state -> Character? in
                state.count < 4 ? letter : nil
            }
        }
        let states = Box<[String]>([])
        let subscription = Flow<String>.system(
            initialState: "", reduce: { (state: String, event: Character) in state + String(event) },
            scheduler: .caller, feedback: appending("a"), appending("b"), appending("c")
        ).prefix(5).sink { state in states.change { $0.append(state) } }
        #expect(states.value == ["", "a", "ab", "abc", "abca"])
        withExtendedLifetime(subscription) {}
    }

    @Test func anOwnerIsNotKeptByWhatItIsBoundTo() {
        final class Label: Sendable {
            let texts = Box<[String]>([])
        }
        var label: Label? = Label()
        weak let seen = label
        let texts = label?.texts
        let spin = Counting.spin(
            bind(label ?? Label()) { label, states in
                Bindings(
                    subscriptions: [
                        states.sink { [weak label] state in label?.texts.change { $0.append("\(state)") } }
                    ], events: [.just(1)])
            })
        let loop = spin.start()
        #expect(texts?.value == ["0", "1"])
        label = nil
        #expect(seen == nil)
        loop.emit(1)
        #expect(texts?.value == ["0", "1"])
        #expect(spin.start().state == 0)
    }

    @Test func theLifeOfABindingIsThatOfTheLoopAlsoWithoutEvents() {
        let source = HandSource<Int>()
        let loop = Counting.spin(
            bind { _ in Bindings(subscriptions: [source.flow.sink { _ in }], events: []) }
        ).start()
        loop.emit(1)
        #expect(source.cancelled == [])
        loop.stop()
        #expect(source.cancelled == [0])
    }
}
