import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// The cases of Spin.Swift's README: making spins, and running them.
@Suite(.timeLimit(.minutes(10))) struct SpinSwiftTests {
    private static let start = Levels.State(left: 10, right: 20)

    /// A feedback that never ends by itself, to see when it is cancelled.
    private func endless(_ source: HandSource<Levels.Event>) -> Spin<Levels.State, Levels.Event> {
        Spin(initialState: Self.start, executeOn: .caller, clock: ManualClock()) {
            Feedback(effect: { source.flow })
            Reducer(Levels.reduced)
        }
    }

    // The original publishes twenty states, ten of them a repeated 15/15, and the initial one in one of its
    // three flavours. Here what a newer state made stale is withdrawn (rule 10), so there are ten steps, and
    // the initial state always comes first (rule 3).
    @Test func spin1_levelsThatAreBuiltMeetInTenSteps() {
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Levels.built().start(observers: [log])
        #expect(log.states.map(\.description) == Levels.course)
        #expect(loop.counters.steps == 10)
    }

    @Test func spin2_aStreamRunsFromItsSubscriptionUntilThatIsCancelled() {
        let source = HandSource<Levels.Event>()
        let stream = Flow.stream(from: endless(source))
        #expect(source.count == 0)
        let (first, second) = (FlowProbe(stream), FlowProbe(stream))
        #expect(source.count == 2)
        source[0].emit(.left(1))
        source[1].emit(.right(2))
        first.cancel()
        #expect(source.cancelled == [0])
        source[0].emit(.left(3))
        source[1].emit(.right(4))
        #expect(first.lines == ["10/20", "1/20"])
        #expect(second.lines == ["10/20", "10/2", "10/4"])
    }

    @Test func spin3_startRunsTheSameLoopUnobserved() {
        let source = HandSource<Levels.Event>()
        let shown = Box<[String]>([])
        let spin = Spin(initialState: Self.start, executeOn: .caller) {
            Feedback(effect: Levels.leftEffect)
            Feedback(effect: Levels.rightEffect)
            Feedback(render: { state in shown.change { $0.append(state.description) } })
            Feedback(source: { source.flow })
            Reducer(Levels.reduced)
        }
        var subscriptions: Set<Subscription> = []
        Flow.start(spin: spin).store(in: &subscriptions)
        #expect(shown.value == Levels.course)
        source.emit(.left(16))
        #expect(shown.value.suffix(3) == ["15/15", "16/15", "15/15"])
        subscriptions = []
        #expect(source.cancelled == [0])
        source.emit(.left(0))
        #expect(shown.value.last == "15/15")
    }

    // The original's second flavour; here the same states, whatever carries them and wherever the loop runs.
    @Test func spin4_flowsSequencesAndSubscriptionsCarryTheSameStates() async {
        let flow = FlowProbe(Flow.stream(from: Levels.built(executeOn: .pool)))
        await flow.end()
        #expect(flow.lines == Levels.course + ["finished"])
        var states: [String] = []
        for await state in Levels.built(executeOn: .serial("levels")).states {
            states.append(state.description)
        }
        #expect(states == Levels.course)
    }

    @Test func spin5_levelsThatAreDeclaredMeetInTenSteps() {
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Levels.declared().start(observers: [log])
        #expect(log.states.map(\.description) == Levels.course)
        #expect(loop.counters.steps == 10)
    }

    @Test func spin6_levelsThatAreDeclaredMeetInTenStepsOnThePoolToo() async {
        let flow = FlowProbe(Flow.stream(from: Levels.declared(executeOn: .pool)))
        await flow.end()
        #expect(flow.lines == Levels.course + ["finished"])
    }

    @Test func levelsMeetInTenStepsThroughEventsToo() {
        @Sendable func toward(_ level: Int, _ other: Int) -> Int? {
            level == other ? nil : level + (level < other ? 1 : -1)
        }
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Spin(initialState: Self.start, executeOn: .caller) {
            Feedback(effect: { (levels: Levels.State) -> Levels.Event? in
                toward(levels.left, levels.right).map { .left($0) }
            })
            Feedback(
                directEffect: { .right(toward($0.right, $0.left) ?? $0.right) },
                filteredBy: { $0.left != $0.right })
            Reducer(Levels.reduced)
        }.start(observers: [log])
        #expect(log.states.map(\.description) == Levels.course)
        #expect(loop.counters.steps == 10)
    }

    @Test func aSpinOfOneFeedbackIsMadeWithoutABuilder() {
        let loop = Spin(
            initialState: Self.start, feedback: Feedback(effect: Levels.leftEffect),
            reducer: Reducer(Levels.reduced), executeOn: .caller
        ).start()
        #expect(loop.state.description == "20/20")
    }

    @Test func spin7_aFilteredEffectRunsOnMatchesAndARejectedStateCancelsIt() {
        let source = HandSource<Levels.Event>()
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Spin(initialState: Self.start, executeOn: .caller) {
            Feedback(effect: { _ in source.flow }, filteredBy: { $0.left > 0 })
            Reducer(Levels.reduced)
        }.start(observers: [log])
        #expect(source.count == 1)
        loop.emit(.left(0))
        #expect(source.cancelled == [0])
        source.emit(.right(100))
        loop.emit(.right(0))
        #expect(source.count == 1)
        loop.emit(.left(1))
        #expect(source.count == 2)
        source.emit(.right(5))
        #expect(log.states.map(\.description) == ["10/20", "0/20", "0/0", "1/0", "1/5"])
        #expect(loop.counters.late == 1)
    }

    @Test func aResultFiltersAndPicksAtOnce() {
        let source = HandSource<Levels.Event>()
        let picked = Box<[Int]>([])
        let loop = Spin<Levels.State, Levels.Event>(initialState: Self.start, executeOn: .caller) {
            Feedback(
                effect: { left in
                    picked.change { $0.append(left) }
                    return source.flow
                },
                filteredByResult: { $0.left > 0 ? .success($0.left) : .failure(.effectIsNotExecuted) })
            Reducer(Levels.reduced)
        }.start()
        for left in [0, 7] { loop.emit(.left(left)) }
        #expect(picked.value == [10, 7])
        #expect(source.cancelled == [0])
    }

    @Test func spin8_anEffectWithALensGetsThePartOfEveryState() {
        let lefts = Box<[Int]>([])
        let halves = Box<[Int]>([])
        let loop = Spin<Levels.State, Levels.Event>(initialState: Self.start, executeOn: .caller) {
            Feedback(
                effect: { left in
                    lefts.change { $0.append(left) }
                    return Flow.none
                }, lensingOn: \.left)
            Feedback(
                effect: { half in halves.change { $0.append(half) } },
                lensingOn: { $0.right / 2 }, filteredBy: { $0 > 1 })
            Reducer(Levels.reduced)
        }.start()
        for right in 1...5 { loop.emit(.right(right)) }
        // Six times the same part: parts are not compared.
        #expect(lefts.value == [10, 10, 10, 10, 10, 10])
        #expect(halves.value == [10, 2, 2])
    }

    @Test(arguments: [Strategy.cancelOnNewState, .continueOnNewState])
    func spin9_aStrategySaysWhetherARunningEffectIsCancelled(strategy: Strategy) {
        let source = HandSource<Int>()
        let log = Counting.Log()
        // Events from ten on are not handled, so that they make no state.
        let loop = Spin(initialState: 1, executeOn: .caller) {
            Feedback(effect: { (_: Int) in source.flow }, applying: strategy)
            Reducer { (state: Int, event: Int) -> Int? in event < 10 ? event : nil }
        }.start(observers: [log])
        loop.emit(2)
        source[1].emit(20)
        source[0].emit(10)
        let late = strategy == .cancelOnNewState
        #expect(log.lines("unhandled") == (late ? ["unhandled 20"] : ["unhandled 20", "unhandled 10"]))
        #expect(log.lines("late") == (late ? ["late 10 of  1"] : []))
    }
}
