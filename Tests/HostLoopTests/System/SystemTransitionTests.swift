import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// The cases of Feedbacks' README about transitions, and delayed ones.
@Suite struct SystemTransitionTests {
    private func loop(
        _ transitions: Transitions, from state: any HostLoopVocabularies.State = Loading(),
        clock: any LoopClock = ManualClock(), log: SystemLog = SystemLog()
    ) -> Loop<any HostLoopVocabularies.State, any HostLoopVocabularies.Event> {
        System(
            initialState: InitialState { state }, feedbacks: Feedbacks {}, transitions: transitions,
            clock: clock
        ).execute(on: .caller).spin.start(observers: [log])
    }

    @Test func fb10_anyEventLeadsOutOfAState() {
        let transitions = Transitions {
            From(Failed.self) { On(AnyEvent.self, transitionTo: Loading()) }
        }
        for event: any HostLoopVocabularies.Event in [Refresh(), Cancel(), DataIsLoaded()] {
            let loop = loop(transitions, from: Failed())
            loop.emit(event)
            #expect(loop.state is Loading)
        }
    }

    @Test func fb11_anEventLeadsOutOfAnyState() {
        let transitions = Transitions {
            From(AnyState.self) { On(Refresh.self, transitionTo: Loading(page: 9)) }
            From(Idle.self) { On(Refresh.self, transitionTo: Failed()) }
        }
        for state: any HostLoopVocabularies.State in [Failed(), Loaded(), Loading()] {
            let loop = loop(transitions, from: state)
            loop.emit(Refresh())
            #expect(loop.state as? Loading == Loading(page: 9))
        }
        let idle = loop(transitions, from: Idle())
        idle.emit(Refresh())
        #expect(idle.state is Failed)
    }

    private func course(_ transitions: Transitions) -> [String] {
        let log = SystemLog()
        let loop = loop(transitions, from: Loading(page: 4), log: log)
        for event: any HostLoopVocabularies.Event in [
            DataIsLoaded(data: "a"), DataIsLoaded(data: "ignored"), Refresh(), LoadingHasFailed(), Refresh(),
        ] {
            loop.emit(event)
        }
        return log.words
    }

    // The original publishes the state again for the two events that nothing handles.
    @Test func fb14_statesAreMadeOfStatesAndEvents() {
        #expect(
            course(Machines.pages) == [
                "Loading(page: 4)", #"Loaded(page: 4, data: "a")"#, "Loading(page: 4)", "Failed()",
            ])
    }

    @Test func fb15_transitionsMayBeSplitIntoValues() {
        let loadingTransitions = From(Loading.self) { state in
            On(DataIsLoaded.self, transitionTo: Loaded.self) { event in
                Loaded(page: state.page, data: event.data)
            }
            On(LoadingHasFailed.self, transitionTo: Failed())
        }
        let loadedTransitions = From(Loaded.self) { state in
            On(Refresh.self, transitionTo: Loading.self) {
                Loading(page: state.page)
            }
        }
        let transitions = Transitions {
            loadingTransitions
            loadedTransitions
        }
        #expect(course(transitions) == course(Machines.pages))
    }

    // MARK: - Delayed transitions

    private static let patient = Transitions {
        From(Loading.self) { state in
            After(.seconds(30), transitionTo: Loaded(page: state.page, data: "too late"))
            On(Refresh.self, transitionTo: Loading(page: state.page + 1))
            On(Cancel.self, transitionTo: Idle())
        }
        From(Idle.self) {
            On(Refresh.self, transitionTo: Loading(page: 100))
        }
    }

    @Test func aDelayedTransitionIsTakenWhenTheStateHasLasted() {
        let clock = ManualClock()
        let log = SystemLog()
        let loop = loop(Self.patient, clock: clock, log: log)
        clock.advance(by: .seconds(29))
        #expect(loop.state is Loading)
        clock.advance(by: .seconds(1))
        #expect(loop.state is Loaded)
        #expect(log.lines("step 1 after 30.0 seconds in Loading").count == 1)
    }

    @Test func aDelayIsTakenBackWhenItsStateIsLeft() {
        let clock = ManualClock()
        let loop = loop(Self.patient, clock: clock)
        loop.emit(Cancel())
        clock.advance(by: .seconds(60))
        #expect(loop.state is Idle)
        loop.emit(Refresh())
        clock.advance(by: .seconds(29))
        #expect(loop.state is Loading)
        clock.advance(by: .seconds(1))
        #expect(loop.state as? Loaded == Loaded(page: 100, data: "too late"))
    }

    @Test func aDelayThatIsTakenBackIsOver() {
        let loop = loop(Self.patient)
        #expect(loop.ended.running.count == 1)
        loop.emit(Cancel())
        #expect(loop.ended.running.isEmpty)
        loop.emit(Refresh())
        loop.stop()
        #expect(loop.ended.running.isEmpty)
    }

    @Test func aDelayContinuesWhileStatesOfItsTypeFollowEachOtherAndUsesTheLast() {
        let clock = ManualClock()
        let loop = loop(Self.patient, clock: clock)
        clock.advance(by: .seconds(20))
        loop.emit(Refresh())
        clock.advance(by: .seconds(10))
        #expect(loop.state as? Loaded == Loaded(page: 1, data: "too late"))
    }

    @Test func aDelayStartsAgainWhenItsIdChanges() {
        let clock = ManualClock()
        let transitions = Transitions {
            From(Loading.self) { state in
                After(.seconds(30), id: state.page, transitionTo: Failed())
                On(Refresh.self, transitionTo: Loading(page: state.page + 1))
                On(Cancel.self, transitionTo: state)
            }
        }
        let loop = loop(transitions, clock: clock)
        clock.advance(by: .seconds(20))
        loop.emit(Refresh())
        clock.advance(by: .seconds(29))
        #expect(loop.state is Loading)
        loop.emit(Cancel())
        clock.advance(by: .seconds(1))
        #expect(loop.state is Failed)
    }

    @Test func ofTwoDelaysTheShorterOneComesFirstAndTheOtherIsTakenBack() {
        let clock = ManualClock()
        let log = SystemLog()
        let transitions = Transitions {
            From(Loading.self) {
                After(.seconds(2), transitionTo: Failed())
                After(.seconds(1), transitionTo: Idle())
            }
        }
        let loop = loop(transitions, clock: clock, log: log)
        clock.advance(by: .seconds(5))
        #expect(log.words == ["Loading(page: 0)", "Idle(count: 0)"])
        #expect(loop.counters.late == 0)
    }

    @Test func aDisabledDelayIsOverWhenItsTimeHasPassed() {
        let clock = ManualClock()
        let isDisabled = Box(true)
        let log = SystemLog()
        let transitions = Transitions {
            From(Loading.self) {
                After(.seconds(1), transitionTo: Failed()).disable { isDisabled.value }
                On(AnyEvent.self, transitionTo: Idle())
            }
        }
        let loop = loop(transitions, clock: clock, log: log)
        clock.advance(by: .seconds(1))
        isDisabled.value = false
        clock.advance(by: .seconds(1))
        #expect(loop.state is Loading)
        #expect(log.lines("unhandled") == ["unhandled after 1.0 seconds in Loading"])
    }

    @Test func aDelayOfAnyStateStartsWithTheLoop() {
        let clock = ManualClock()
        let transitions = Transitions {
            From(AnyState.self) { After(.seconds(10), transitionTo: Failed()) }
            From(Loading.self) { On(Refresh.self, transitionTo: Loaded()) }
        }
        let loop = loop(transitions, clock: clock)
        clock.advance(by: .seconds(6))
        loop.emit(Refresh())
        clock.advance(by: .seconds(4))
        #expect(loop.state is Failed)
    }

    @Test func aTestMayHandTheEventOfADelayToTheTransitions() {
        let elapsed = Elapsed(.seconds(30), in: Loading.self)
        #expect(Self.patient.outcome(Loading(page: 2), elapsed) == #"Loaded(page: 2, data: "too late")"#)
        #expect(Self.patient.outcome(Idle(), elapsed) == "unhandled")
        #expect(Self.patient.outcome(Loading(), Elapsed(.seconds(31), in: Loading.self)) == "unhandled")
        #expect(
            Self.patient.outcome(Loading(), Elapsed(.seconds(30), id: 1, in: Loading.self)) == "unhandled")
    }
}
