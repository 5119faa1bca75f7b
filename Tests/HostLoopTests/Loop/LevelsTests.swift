import HostLoop
import Testing

@Suite struct LevelsTests {
    @Test func levelsMeetInExactlyTenStepsWhenTheCallerRunsTheLoop() {
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Levels.spin().start(observers: [log])
        #expect(log.states.map(\.description) == Levels.course)
        #expect(loop.state == Levels.State(left: 15, right: 15))
        #expect(loop.counters.steps == 10)
        #expect(log.lines.last == "quiescent")
    }

    @Test func levelsMeetInExactlyTenStepsOnThePool() async {
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Levels.spin(executor: .pool).start(observers: [log])
        await log.wait(for: "quiescent")
        #expect(log.states.map(\.description) == Levels.course)
        #expect(loop.counters.steps == 10)
    }

    @Test func levelsTakeTheSameCourseWithoutObservers() async {
        let spin = Spin(
            initialState: .init(left: 10, right: 20), reducer: Levels.reducer,
            feedbacks: [Levels.left, Levels.right],
            until: { $0.left == $0.right })
        let loop = spin.start()
        await loop.ended.wait()
        #expect(loop.state == Levels.State(left: 15, right: 15))
        #expect(loop.counters.steps == 10)
    }
}
