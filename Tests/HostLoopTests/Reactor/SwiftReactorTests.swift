import Dispatch
import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// What the README of the original reactor library shows, by its case numbers.
@Suite struct SwiftReactorTests {
    // Safe because it adds an immutable property only.
    private final class ExampleReactor: BaseReactor<
        ExampleReactor.Action, ExampleReactor.Mutation, ExampleReactor.State
    >, @unchecked Sendable
    {
        enum Action {
            case enterText(String)
            case setSwitch(Bool)
            case setSwitchAsync(Bool)
            case colorChangePressed(String)
            case nothing
        }

        enum Mutation {
            case setText(String)
            case setSwitch(Bool)
            case setBackgroundColor(String)
        }

        struct State: Equatable {
            var text = "initial text"
            var switchValue = false
            var backgroundColor = "white"
        }

        init(clock: any LoopClock = ManualClock()) {
            super.init(initialState: State(), clock: clock)
        }

        override func mutate(action: Action) -> Mutations<Mutation> {
            switch action {
            case .enterText(let text):
                return [.setText(text)]
            case .setSwitch(let value):
                return [.setSwitch(value)]
            case .setSwitchAsync(let value):
                let mutation = Flow.just(Mutation.setSwitch(!value)).delay(for: .seconds(2))
                return Mutations(sync: .setSwitch(value), async: mutation)
            case .colorChangePressed(let color):
                return [.setBackgroundColor(color)]
            case .nothing:
                return .none
            }
        }

        override func reduce(state: State, mutation: Mutation) -> State {
            var newState = state
            switch mutation {
            case .setText(let text): newState.text = text
            case .setSwitch(let value): newState.switchValue = value
            case .setBackgroundColor(let color): newState.backgroundColor = color
            }
            return newState
        }

        override func transform(mutation: Flow<Mutation>) -> Flow<Mutation> {
            mutation.prepend(.setText("hello"))
        }
    }

    // The original sets the state on the main thread, here it is the thread that acts or advances the clock.
    @Test func sr1_transformsHaveRunWhenTheInitialiserReturns() {
        let clock = ManualClock()
        let reactor = ExampleReactor(clock: clock)
        #expect(reactor.state.text == "hello")
        reactor.action(.enterText("there"))
        #expect(reactor.state.text == "there")
        reactor.action(.setSwitchAsync(true))
        #expect(reactor.state.switchValue)
        clock.advance(by: .seconds(1))
        #expect(reactor.state.switchValue)
        clock.advance(by: .seconds(1))
        #expect(!reactor.state.switchValue)
    }

    @Test func sr2_anActionLeadsToNoneToSynchronousAndToAsynchronousMutations() {
        let clock = ManualClock()
        let reactor = ExampleReactor(clock: clock)
        let before = reactor.state
        reactor.action(.nothing)
        #expect(reactor.state == before)
        reactor.action(.colorChangePressed("red"))
        #expect(reactor.state.backgroundColor == "red")
        reactor.action(.setSwitchAsync(true))
        reactor.action(.setSwitch(false))
        reactor.action(.setSwitchAsync(false))
        clock.advance(by: .seconds(2))
        // Neither asynchronous mutation was cancelled: false, then true.
        #expect(reactor.state.switchValue)
    }

    @Test func sr3_reduceIsPure() {
        let reactor = ExampleReactor()
        let state = reactor.reduce(state: ExampleReactor.State(), mutation: .setText("new"))
        #expect(state.text == "new")
        #expect(reactor.state.text == "hello")
    }

    // Safe because it adds a lock only.
    private final class TransformingReactor: BaseReactor<Int, Int, [Int]>, @unchecked Sendable {
        let calls = Box<[String]>([])

        init() { super.init(initialState: []) }

        override func mutate(action: Int) -> Mutations<Int> {
            Mutations(async: .just(action))
        }

        override func reduce(state: [Int], mutation: Int) -> [Int] {
            state + [mutation]
        }

        override func transform(action: Flow<Int>) -> Flow<Int> {
            calls.change { $0.append("action") }
            return action.filter { $0 > 0 }.prepend(1)
        }

        override func transform(mutation: Flow<Int>) -> Flow<Int> {
            calls.change { $0.append("mutation") }
            return mutation.map { $0 * 10 }.prepend(5)
        }

        override func transform(state: Flow<[Int]>) -> Flow<[Int]> {
            calls.change { $0.append("state") }
            return state.map { $0 + [0] }
        }
    }

    // In the original the states of synchronous mutations do not pass `transform(state:)`.
    @Test func sr4_eachTransformIsCalledOnceAndHasItsEffect() {
        let reactor = TransformingReactor()
        #expect(reactor.state == [5, 10, 0])
        reactor.action(2)
        reactor.action(-2)
        reactor.action(3)
        #expect(reactor.state == [5, 10, 20, 30, 0])
        #expect(reactor.calls.value == ["action", "mutation", "state"])
    }

    @Test func sr5_literalsEqualTheLongForms() {
        let literal: Mutations<Int> = [1, 2]
        #expect(literal.sync == Mutations(sync: [1, 2]).sync)
        #expect(([3] as Mutations<Int>).sync == Mutations(sync: 3).sync)
        #expect(Mutations<Int>.none.sync == Mutations<Int>().sync)
        for mutations in [literal, .none, Mutations(sync: 1)] {
            let seen = Box<[Int]>([])
            let subscription = mutations.async.sink { value in seen.change { $0.append(value) } }
            #expect(seen.value == [])
            subscription.cancel()
        }
    }

    // Safe because it adds nothing.
    private final class DetailReactor: BaseReactor<Int, Int, Int>, @unchecked Sendable {
        init() { super.init(initialState: 20) }
        override func mutate(action: Int) -> Mutations<Int> { [action] }
        override func reduce(state: Int, mutation: Int) -> Int { mutation }
    }

    // Safe because it adds an immutable property only.
    private final class AppReactor: BaseReactor<String, AppReactor.Mutation, AppReactor.State>,
        @unchecked Sendable
    {
        enum Mutation {
            case setName(String)
            case setDetail(Int)
        }

        struct State {
            var name = ""
            var detail: Int
        }

        let detail = DetailReactor()

        init() { super.init(initialState: State(detail: detail.state)) }

        override func mutate(action: String) -> Mutations<Mutation> { [.setName(action)] }

        override func reduce(state: State, mutation: Mutation) -> State {
            var newState = state
            switch mutation {
            case .setName(let name): newState.name = name
            case .setDetail(let detail): newState.detail = detail
            }
            return newState
        }

        override func transform(mutation: Flow<Mutation>) -> Flow<Mutation> {
            mutation.merge(with: detail.states.map { .setDetail($0) })
        }
    }

    @Test func sr7_theStateOfANestedReactorIsPartOfTheParents() {
        let reactor = AppReactor()
        #expect(reactor.state.detail == 20)
        reactor.action("name")
        reactor.detail.action(21)
        #expect(reactor.state.detail == 21)
        #expect(reactor.state.name == "name")
        reactor.detail.mutate(binding: \.self, { $0 }).wrappedValue = 22
        #expect(reactor.state.detail == 22)
    }

    private final class CountingReactor: Reactor {
        enum Action { case countUp, countUpAsync }
        enum Mutation { case countUp }
        struct State { var currentCount = 0 }

        let core = ReactorCore<Action, Mutation, State>(initialState: State())

        init() { createStateStream() }

        func mutate(action: Action) -> Mutations<Mutation> {
            switch action {
            case .countUp: [.countUp]
            case .countUpAsync: Mutations(async: .just(.countUp))
            }
        }

        func reduce(state: State, mutation: Mutation) -> State {
            var newState = state
            switch mutation {
            case .countUp: newState.currentCount += 1
            }
            return newState
        }
    }

    @Test func sr9_theProtocolNeedsOneStoredCore() {
        let reactor = CountingReactor()
        reactor.action(.countUp)
        #expect(reactor.state.currentCount == 1)
        reactor.action(.countUpAsync)
        #expect(reactor.state.currentCount == 2)
    }

    private final class CountingView: BaseReactorView<CountingReactor> {
        private(set) var labels: [String] = []

        override func bind(reactor: CountingReactor) {
            reactor.states
                .map { String($0.currentCount) }
                .onMain.sink { [weak self] in self?.labels.append($0) }
                .store(in: &subscriptions)
        }
    }

    @MainActor @Test func sr10_settingTheReactorBindsItAndDropsTheOldSubscriptions() {
        let (first, second) = (CountingReactor(), CountingReactor())
        let view = CountingView()
        view.reactor = first
        first.action(.countUp)
        view.reactor = second
        first.action(.countUp)
        second.action(.countUp)
        view.reactor = nil
        second.action(.countUp)
        #expect(view.labels == ["0", "1", "0", "1"])
        #expect(view.subscriptions.isEmpty)
    }

    @Test(arguments: ["sync", "async", "mixed"])
    func sr11_noneOfTenThousandConcurrentActionsIsLost(kind: String) {
        let reactor = CountingReactor()
        let seen = Box<[Int]>([])
        let subscription = reactor.states.sink { state in seen.change { $0.append(state.currentCount) } }
        DispatchQueue.concurrentPerform(iterations: 10_000) { number in
            let isSync = kind == "sync" || kind == "mixed" && number % 2 == 0
            reactor.action(isSync ? .countUp : .countUpAsync)
        }
        #expect(reactor.state.currentCount == 10_000)
        #expect(seen.value == Array(0...10_000))
        subscription.cancel()
    }
}
