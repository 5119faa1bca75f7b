import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

@Suite struct TransitionsTests {
    private func levels(
        exact: Bool = true, anyEvent: Bool = true, anyState: Bool = true, both: Bool = true
    ) -> Transitions {
        Transitions {
            if both { From(AnyState.self) { On(AnyEvent.self, transitionTo: Loaded(data: "any, any")) } }
            if anyState {
                From(AnyState.self) { On(Refresh.self, transitionTo: Loaded(data: "any, Refresh")) }
            }
            if anyEvent {
                From(Loading.self) { On(AnyEvent.self, transitionTo: Loaded(data: "Loading, any")) }
            }
            if exact {
                From(Loading.self) { On(Refresh.self, transitionTo: Loaded(data: "Loading, Refresh")) }
            }
        }
    }

    private func data(_ transitions: Transitions) -> String? {
        (transitions.transition(from: Loading(), on: Refresh()) as? Loaded)?.data
    }

    @Test func theMostExactTransitionIsTakenWhateverTheOrderOfDeclaration() {
        #expect(data(levels()) == "Loading, Refresh")
        #expect(data(levels(exact: false)) == "Loading, any")
        #expect(data(levels(exact: false, anyEvent: false)) == "any, Refresh")
        #expect(data(levels(exact: false, anyEvent: false, anyState: false)) == "any, any")
        #expect(data(levels(exact: false, anyEvent: false, anyState: false, both: false)) == nil)
    }

    @Test func ofTwoTransitionsForOneEventInOneFromTheLastWins() {
        let constant = Transitions {
            From(Loading.self) {
                On(Refresh.self, transitionTo: Loaded(data: "first"))
                On(Refresh.self, transitionTo: Loaded(data: "last"))
            }
        }
        let reading = Transitions {
            From(Loading.self) { state in
                On(Refresh.self, transitionTo: Loaded(page: state.page, data: "first"))
                On(Refresh.self, transitionTo: Loaded(page: state.page, data: "last"))
            }
        }
        #expect(data(constant) == "last")
        #expect(data(reading) == "last")
    }

    @Test func twoFromForOneStateAreMergedAndTheFirstDeclaredWins() {
        let transitions = Transitions {
            From(Loading.self) { On(Refresh.self, transitionTo: Loaded(data: "first")) }
            From(Loading.self) { state in
                On(Refresh.self, transitionTo: Loaded(data: "second"))
                On(DataIsLoaded.self, transitionTo: Loaded(page: state.page, data: "second"))
            }
            From(Loading.self) {
                On(DataIsLoaded.self, transitionTo: Loaded(data: "third"))
                On(Cancel.self, transitionTo: Loaded(data: "third"))
            }
        }
        #expect(transitions.outcome(Loading(), Refresh()) == #"Loaded(page: 0, data: "first")"#)
        #expect(transitions.outcome(Loading(page: 7), DataIsLoaded()) == #"Loaded(page: 7, data: "second")"#)
        #expect(transitions.outcome(Loading(), Cancel()) == #"Loaded(page: 0, data: "third")"#)
    }

    @Test func aDisabledTransitionFallsThroughToTheWildcardsAndNotToAnotherFrom() {
        let isDisabled = Box(true)
        let transitions = Transitions {
            From(Loading.self) {
                On(Refresh.self, transitionTo: Loaded(data: "exact")).disable { isDisabled.value }
            }
            From(Loading.self) { On(Refresh.self, transitionTo: Loaded(data: "shadowed")) }
            From(AnyState.self) { On(Refresh.self, transitionTo: Loaded(data: "any")) }
        }
        #expect(data(transitions) == "any")
        isDisabled.value = false
        #expect(data(transitions) == "exact")
    }

    @Test(arguments: [false, true])
    func disableOfAFromAndOfAllIsReadAtEachEvent(isAll: Bool) {
        let isDisabled = Box(true)
        let from = From(Loading.self) { state in
            On(Refresh.self, transitionTo: Loaded(page: state.page, data: "exact"))
        }
        let transitions =
            isAll
            ? Transitions { from }.disable { isDisabled.value }
            : Transitions { from.disable { isDisabled.value } }
        #expect(data(transitions) == nil)
        isDisabled.value = false
        #expect(data(transitions) == "exact")
    }

    @Test func aValueIsMadeWhenItsTransitionIsTakenAndNotBefore() {
        let made = Box(0)
        let make: @Sendable () -> Failed = {
            made.change { $0 += 1 }
            return Failed()
        }
        let transitions = Transitions {
            From(Loading.self) {
                On(Cancel.self, transitionTo: make())
                On(Refresh.self, transitionTo: Loaded())
            }
        }
        _ = transitions.transition(from: Loading(), on: Refresh())
        #expect(made.value == 0)
        _ = transitions.transition(from: Loading(), on: Cancel())
        _ = transitions.transition(from: Loading(), on: Cancel())
        #expect(made.value == 2)
    }

    @Test func theClosureOfAFromIsCalledOnceForAnEventHoweverFarItFalls() {
        let calls = Box(0)
        let transitions = Transitions {
            From(Loading.self) { _ in
                calls.change { $0 += 1 }
                return [On(Cancel.self, transitionTo: Failed())]
            }
            From(AnyState.self) { On(AnyEvent.self, transitionTo: Failed()) }
        }
        #expect(transitions.outcome(Loading(), Refresh()) == "Failed()")
        #expect(calls.value == 1)
    }

    @Test func declarationsMayStandInConditionsAndLoops() {
        let pages = [1, 2]
        let transitions = Transitions {
            for page in pages {
                From(Loading.self) { state in
                    if state.page == page {
                        On(Refresh.self, transitionTo: Loading(page: page + 10))
                    } else {
                        On(Cancel.self, transitionTo: Loading(page: -page))
                    }
                }
            }
        }
        #expect(transitions.outcome(Loading(page: 1), Refresh()) == "Loading(page: 11)")
        #expect(transitions.outcome(Loading(page: 2), Refresh()) == "Loading(page: 12)")
        #expect(transitions.outcome(Loading(page: 2), Cancel()) == "Loading(page: -1)")
        #expect(transitions.outcome(Loading(page: 3), Refresh()) == "unhandled")
    }

    @Test func aClosureForAnyEventIsGivenTheEvent() {
        let transitions = Transitions {
            From(AnyState.self) { state in
                On(AnyEvent.self, transitionTo: Loaded.self) { event in Loaded(data: "\(state), \(event)") }
            }
        }
        #expect(
            transitions.outcome(Idle(), Refresh()) == #"Loaded(page: 0, data: "Idle(count: 0), Refresh()")"#)
    }

    // The original publishes the old state again, and restarts effects that a new state cancels.
    @Test func whatNothingHandlesIsNoNewStateAndCancelsNothing() {
        let cancelled = Box(0)
        let log = LoopLog<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>()
        let loop = Spin<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>(
            initialState: Loading(), reducer: Machines.pages.reducer,
            feedbacks: [
                .onState("load") { state, run in
                    run.onCancel { cancelled.change { $0 += 1 } }
                    return .pending
                }
            ], executor: .caller
        ).start(observers: [log])
        loop.emit(Refresh())
        #expect(log.lines("unhandled") == ["unhandled Refresh()"])
        #expect(loop.counters.steps == 0)
        #expect(cancelled.value == 0)
        loop.emit(LoadingHasFailed())
        #expect(loop.state is Failed)
        #expect(cancelled.value == 1)
    }

    @Test func executeKeepsTheInnermostExecutorAndDisableKeepsIt() {
        let transitions = Machines.pages.execute(on: .serial("inner")).execute(on: .serial("outer"))
        #expect(transitions.executor?.label == "inner")
        #expect(transitions.disable { true }.executor?.label == "inner")
        #expect(Machines.pages.executor == nil)
    }
}
