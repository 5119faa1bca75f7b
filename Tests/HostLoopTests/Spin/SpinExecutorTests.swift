import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

/// The cases of Spin.Swift's README: where things run.
@Suite(.timeLimit(.minutes(10))) struct SpinExecutorTests {
    private let labels = Box<Set<String>>([])
    private let seven = AsyncGate()
    private let leftHasBegun = Gate()
    private let rightHasBegun = Gate()
    private let begun = Box<Set<String>>([])

    private func note(_ name: String) {
        let label = LoopExecutor.current?.label ?? "none"
        if labels.change({ $0.insert("\(name) on \(label)") }).count == 7 { seven.open() }
    }

    private func left(_ levels: Levels.State) -> Flow<Levels.Event> {
        note("left")
        meet("left", leftHasBegun, rightHasBegun)
        return Levels.leftEffect(levels: levels)
    }

    private func right(_ levels: Levels.State) -> Flow<Levels.Event> {
        note("right")
        meet("right", rightHasBegun, leftHasBegun)
        return Levels.rightEffect(levels: levels)
    }

    /// Has each effect's first call wait for the other's: a new state cancels an effect that has not begun, and
    /// might do so until the levels meet.
    private func meet(_ name: String, _ own: Gate, _ other: Gate) {
        var isFirst = false
        begun.change { isFirst = $0.insert(name).inserted }
        guard isFirst else { return }
        own.open()
        other.pass()
    }

    private func reduced(_ levels: Levels.State, _ event: Levels.Event) -> Levels.State {
        note("reducer")
        return Levels.reduced(levels: levels, event: event)
    }

    private func checkRun(of spin: Spin<Levels.State, Levels.Event>) async {
        let loop = spin.start()
        await loop.ended.wait()
        // The effects run beside each other, and one may be the faster; what a newer state made stale is not
        // reduced all the same.
        #expect(loop.state.left == loop.state.right)
        #expect(loop.counters.steps == 10)
        #expect(labels.value == ["left on left", "right on right", "reducer on spin"])
    }

    @Test func spin10_aBuiltSpinAndItsEffectsRunOnTheirOwnExecutors() async {
        await checkRun(
            of:
                Spinner
                .initialState(
                    Levels.State(left: 10, right: 20), executeOn: .serial("spin"),
                    until: { $0.left == $0.right }
                )
                .feedback(Feedback(effect: left, on: .serial("left", blocking: true)))
                .feedback(Feedback(effect: right, on: .serial("right", blocking: true)))
                .reducer(Reducer(reduced)))
    }

    @Test func spin11_aDeclaredSpinAndItsEffectsRunOnTheirOwnExecutors() async {
        await checkRun(
            of: Spin(
                initialState: Levels.State(left: 10, right: 20), executeOn: .serial("spin"),
                until: { $0.left == $0.right }
            ) {
                Feedback(effect: left)
                    .execute(on: .serial("left", blocking: true))
                Feedback(effect: right)
                    .execute(on: .serial("right", blocking: true))
                Reducer(reduced)
            })
    }

    // In the original a source of events is not moved by `on:`, only the delivery of states is.
    @Test func everyFormOfAFeedbackIsMovedAsAWhole() async {
        let log = LoopLog<Int, Int>()
        let loop = Spin<Int, Int>(initialState: 0, executeOn: .serial("spin")) {
            Feedback(
                effect: {
                    note("source")
                    return .just(1)
                }, on: .serial("a"))
            Feedback(
                effect: { (states: Flow<Int>) in
                    states.filter { $0 == 0 }.map { _ in
                        note("stream")
                        return 1
                    }
                }, on: .serial("b"))
            Feedback(
                effects: [
                    { states in
                        states.filter { $0 == 0 }.map { _ in
                            note("effects")
                            return 1
                        }
                    }
                ], on: .serial("c"))
            Feedback(effect: { _ in note("render") }, on: .serial("d"))
            Feedback(
                uiEffects: { _ in note("ui") },
                {
                    note("user")
                    return .just(1)
                }, on: .serial("e"))
            Feedback(
                effect: { text -> Flow<Int> in
                    note("lens")
                    return text == "0" ? .just(1) : .none
                }, lensingOn: { "\($0)" }, on: .serial("f"), applying: .continueOnNewState)
            Reducer { $0 + $1 }
        }.start(observers: [log])
        await log.wait { $0.contains { $0.hasPrefix("step 5 ") } }
        await seven.wait()
        #expect(loop.state == 5)
        #expect(
            labels.value == [
                "source on a", "stream on b", "effects on c", "render on d", "ui on e", "user on e",
                "lens on f",
            ])
    }
}
