import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

@Suite struct MachineTests {
    private struct Volume: HostLoopVocabularies.State, Equatable { var value: Int }
    private struct Loading: HostLoopVocabularies.State {}
    private struct Failed: HostLoopVocabularies.State { var reason: String }
    private struct Increase: HostLoopVocabularies.Event {}
    private struct Refresh: HostLoopVocabularies.Event {}
    private struct LoadingHasFailed: HostLoopVocabularies.Event { var reason: String }

    private let failures = Failures()

    private let transitions = Transitions {
        From(Volume.self) { state in
            On(Increase.self, transitionTo: Volume(value: min(state.value + 1, 15)))
            On(Refresh.self, transitionTo: Loading())
        }
        From(Loading.self) {
            On(LoadingHasFailed.self, transitionTo: Failed.self) { Failed(reason: $0.reason) }
        }
    }

    private var spin: Spin<any HostLoopVocabularies.State, any HostLoopVocabularies.Event> {
        let loads = Feedback<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>.onState(
            "load", where: { $0 is Loading }, effect: { _ in LoadingHasFailed(reason: "offline") })
        return Spin(initialState: Volume(value: 10), reducer: transitions.reducer, feedbacks: [loads])
    }

    @Test func fb16_transitionsAreAssertedWithoutALoop() {
        transitions.assertThat(from: Volume(value: 10), on: Increase(), newStateIs: Volume(value: 11))
        transitions.assertThat(
            from: Loading(), on: LoadingHasFailed(reason: "gone"), newStateIs: Failed(reason: "gone"))
        // Not handled here; in the original a transition to the old state.
        transitions.assertThatStateIsUnchanged(from: Loading(), on: Refresh())
        // Handled, with an equal state.
        transitions.assertThatStateIsUnchanged(from: Volume(value: 15), on: Increase())
    }

    @Test func fb16_transitionsThatDoNotHoldAreReported() {
        let report = failures.report
        let line = #line
        transitions.assertThat(
            from: Volume(value: 10), on: Increase(), newStateIs: Volume(value: 12), report: report)
        transitions.assertThat(
            from: Volume(value: 10), on: Refresh(), newStateIs: Volume(value: 10), report: report)
        transitions.assertThat(
            from: Loading(), on: LoadingHasFailed(reason: "gone"), newStateIs: Failed(reason: "lost"),
            report: report)
        transitions.assertThat(from: Loading(), on: Increase(), newStateIs: Loading(), report: report)
        transitions.assertThatStateIsUnchanged(from: Volume(value: 10), on: Increase(), report: report)
        #expect(
            failures.messages == [
                """
                Increase() in Volume(value: 10): the new state is not the expected one (- expected, + actual)
                - value: 12
                + value: 11
                """,
                """
                Refresh() in Volume(value: 10): the new state is not the expected one (- expected, + actual)
                - Volume(value: 10)
                + Loading()
                """,
                """
                LoadingHasFailed(reason: "gone") in Loading(): the new state is not the expected one \
                (- expected, + actual)
                - reason: "lost"
                + reason: "gone"
                """,
                "Increase() in Loading(): it was not handled",
                """
                Increase() in Volume(value: 10): the new state is not the expected one (- expected, + actual)
                - value: 10
                + value: 11
                """,
            ])
        #expect(failures.lines.first == line + 1)
    }

    @Test func aMachineIsTestedStepByStep() {
        let test = TestLoop(spin, report: failures.report)
        test.send(Increase(), newState: Volume(value: 11))
        test.send(Refresh(), newState: Loading())
        test.receive(LoadingHasFailed.self, newState: Failed(reason: "offline"))
        test.sendUnhandled(Increase())
        test.finish()
        #expect(failures.messages == [])
    }

    @Test func aSystemIsTestedStepByStep() {
        let system = System {
            InitialState {
                Volume(value: 13)
            }
            Feedbacks {
                Feedback(on: Volume.self, strategy: .continueOnNewState) {
                    state -> Flow<any HostLoopVocabularies.Event> in
                    state.value < 15 ? .just(Increase()) : .none
                }
            }
            transitions
        }
        let test = TestLoop(system.spin, report: failures.report)
        test.receive(Increase.self, newState: Volume(value: 14))
        test.receive(Increase.self, newState: Volume(value: 15))
        test.finish()
        #expect(failures.messages == [])
    }

    @Test func aMachineIsWaitedForInAsynchronousTests() async {
        let test = TestLoop(spin, report: failures.report)
        test.send(Refresh(), newState: Loading())
        await test.receive(Increase.self, newState: Loading())
        await test.receive(LoadingHasFailed.self, newState: Failed(reason: "broken"))
        await test.finish()
        #expect(
            failures.messages == [
                """
                receive(Increase.self): it did not come, and nothing can come any more; instead
                  step 2: LoadingHasFailed(reason: "offline") from run 1 of `load`
                    - Loading()
                    + Failed(reason: "offline")
                """,
                """
                receive(LoadingHasFailed.self): the new state is not the expected one (- expected, + actual)
                - reason: "broken"
                + reason: "offline"
                """,
            ])
    }
}
