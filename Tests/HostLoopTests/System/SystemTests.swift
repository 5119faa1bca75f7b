import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

/// The cases of Feedbacks' README, but for its machines (`SystemTransitionTests`) and its views
/// (`UISystemTests`).
@Suite struct SystemTests {
    private static let course = (10...15).map { "Volume(value: \($0))" }

    // MARK: - Running

    // The original does this on a serial queue; on the caller's thread it gives 10, 15, 14, 13, 12, 11.
    @Test func fb1_theVolumeRisesToItsTargetAndThenNothingMoves() {
        let log = SystemLog()
        let loop = System.volume().execute(on: .caller).spin.start(observers: [log])
        #expect(log.words == Self.course)
        #expect(log.lines.last == "quiescent")
        #expect(loop.counters.steps == 5)
    }

    @Test func fb1_theVolumeTakesTheSameCourseOnThePool() async {
        let log = SystemLog()
        let loop = System.volume(from: 20).spin.start(observers: [log])
        await log.wait(for: "quiescent")
        #expect(log.words == (15...20).reversed().map { "Volume(value: \($0))" })
        loop.stop()
    }

    @Test func fb8_eachSubscriptionToTheStreamOwnsALoopThatSeesEveryState() {
        let system = System.volume().execute(on: .caller)
        let stream = system.stream
        let first = Box<[String]>([])
        let second = Box<[String]>([])
        var subscriptions: [Subscription] = []
        stream.sink { state in first.change { $0.append("\(state)") } }.store(in: &subscriptions)
        stream.sink { state in second.change { $0.append("\(state)") } }.store(in: &subscriptions)
        #expect(first.value == Self.course)
        #expect(second.value == Self.course)
    }

    @Test func fb8_aRunningSystemStopsWhenItIsReleased() {
        let cancelled = Box(0)
        var system: System? = System {
            InitialState { Loading() }
            Feedbacks {
                Feedback(on: Loading.self, strategy: .cancelOnNewState) {
                    _ -> Flow<any HostLoopVocabularies.Event> in
                    Flow { sink in sink.onCancel { cancelled.change { $0 += 1 } } }
                }
            }
            Transitions {}
        }.execute(on: .caller).run()
        weak let released = system
        #expect(cancelled.value == 0)
        system = nil
        #expect(released == nil)
        #expect(cancelled.value == 1)
    }

    // The original starts a second loop beside the first.
    @Test func aSystemThatRunsIsNotStartedAgainButMayBeAfterAStop() {
        let starts = Box(0)
        let system = System {
            InitialState { Loading() }
            Feedbacks {}.onStateReceived { _ in starts.change { $0 += 1 } }
            Transitions {}
        }.execute(on: .caller)
        system.run().run()
        #expect(starts.value == 1)
        system.stop()
        system.run()
        #expect(starts.value == 2)
    }

    @Test func aStreamIsMadeOfTheSystemAsItIsThen() {
        let mediator = PassthroughMediator<Int>()
        let system = System.volume(from: 15).execute(on: .caller)
        let before = system.stream
        system.attach(to: mediator, emitSystemEvent: { _ in Increase() })
        let states = Box<[String]>([])
        let subscription = before.sink { state in states.change { $0.append("\(state)") } }
        mediator.send(1)
        #expect(states.value == ["Volume(value: 15)"])
        subscription.cancel()
    }

    @SystemBuilder private var built: System {
        InitialState { Volume(value: 3) }
        Feedbacks {}
        Transitions {}
    }

    @Test func aSystemMayBeBuiltByAProperty() {
        #expect(built.initialState.value as? Volume == Volume(value: 3))
    }

    @Test func aSystemIsDrawnFromItsInitialState() {
        let system = System.volume()
        #expect(system.diagram(as: .mermaid).contains("[*] --> n0"))
        #expect(system.spin.diagram(as: .mermaid).contains(#"["Volume"]"#))
    }

    @Test func aStreamEndsItsLoopWithItsSubscriptionAndCompletesWithItsLoop() {
        let cancelled = Box(0)
        let system = System {
            InitialState { Loading() }
            Feedbacks {
                Feedback(on: Loading.self, strategy: .cancelOnNewState) {
                    _ -> Flow<any HostLoopVocabularies.Event> in
                    Flow { sink in sink.onCancel { cancelled.change { $0 += 1 } } }
                }
            }
            Transitions {}
        }.execute(on: .caller)
        let subscription = system.stream.sink { _ in }
        #expect(cancelled.value == 0)
        subscription.cancel()
        #expect(cancelled.value == 1)
        let seen = Box<[String]>([])
        let ending = Counting.spin(until: { $0 == 0 }).stream.sink(
            receiveCompletion: { completion in seen.change { $0.append("\(completion)") } },
            receiveValue: { state in seen.change { $0.append("\(state)") } })
        #expect(seen.value == ["0", "finished"])
        ending.cancel()
    }

    // MARK: - Executors

    /// Waits for the step that the event of a feedback causes, and answers where the effect ran.
    private func place(_ change: (Feedbacks, Transitions) -> System) async -> String? {
        let log = SystemLog()
        let feedbacks = Feedbacks {
            Feedback(on: Loading.self, strategy: .continueOnNewState) {
                _ -> Flow<any HostLoopVocabularies.Event> in
                .just(DataIsLoaded(data: "effect on \(LoopExecutor.current?.label ?? "none")"))
            }
        }
        let transitions = Transitions {
            From(Loading.self) { _ in
                On(DataIsLoaded.self, transitionTo: Loaded.self) { event in
                    Loaded(data: "\(event.data), reducer on \(LoopExecutor.current?.label ?? "none")")
                }
            }
        }
        let loop = change(feedbacks, transitions).spin.start(observers: [log])
        await log.wait { lines in lines.contains { $0.hasPrefix("step 1") } }
        return (loop.state as? Loaded)?.data
    }

    private func system(_ feedbacks: Feedbacks, _ transitions: Transitions) -> System {
        System(initialState: InitialState { Loading() }, feedbacks: feedbacks, transitions: transitions)
    }

    @Test func fb2_aFeedbackRunsOnItsExecutor() async {
        let log = SystemLog()
        let label = Box("")
        let loop = System {
            InitialState { Loading() }
            Feedbacks {
                Feedback(on: Loading.self, strategy: .continueOnNewState) {
                    _ -> Flow<any HostLoopVocabularies.Event> in
                    label.value = LoopExecutor.current?.label ?? "none"
                    return .just(LoadingHasFailed())
                }
                .execute(on: .serial("its own"))
            }
            Transitions {
                From(Loading.self) { On(LoadingHasFailed.self, transitionTo: Failed()) }
            }
        }.spin.start(observers: [log])
        await log.wait { lines in lines.contains { $0.hasPrefix("step 1") } }
        #expect(label.value == "its own")
        loop.stop()
    }

    @Test func fb3_allFeedbacksRunOnTheExecutorOfTheirContainer() async {
        let place = await place { system($0.execute(on: .serial("all")), $1) }
        #expect(place == "effect on all, reducer on pool")
    }

    @Test func fb4_transitionsRunOnTheirExecutor() async {
        // Effects without an executor run where the loop does, which is where the transitions run.
        let place = await place { system($0, $1.execute(on: .serial("machine"))) }
        #expect(place == "effect on machine, reducer on machine")
    }

    @Test func fb5_theWholeSystemRunsOnItsExecutor() async {
        let place = await place { system($0, $1).execute(on: .serial("system")) }
        #expect(place == "effect on system, reducer on system")
    }

    @Test func theInnermostExecutorWins() async {
        let place = await place {
            system(
                $0.execute(on: .serial("feedbacks")).execute(on: .serial("outer")),
                $1.execute(on: .serial("machine"))
            ).execute(on: .serial("system"))
        }
        #expect(place == "effect on feedbacks, reducer on machine")
    }

    @Test func feedbacksWithoutAnExecutorFollowTheSystemAndNotItsTransitions() async {
        let place = await place {
            system($0, $1.execute(on: .serial("machine"))).execute(on: .serial("system"))
        }
        #expect(place == "effect on system, reducer on machine")
    }

    // MARK: - Modifiers

    @Test func fb9_modifiersInAChainAllTakeEffect() async {
        let log = SystemLog()
        let seen = Box<[String]>([])
        let loop = System {
            InitialState { Loading() }
            Feedbacks {
                Feedback(on: Loading.self, strategy: .continueOnNewState) {
                    _ -> Flow<any HostLoopVocabularies.Event> in
                    seen.change { $0.append("effect on \(LoopExecutor.current?.label ?? "none")") }
                    return .just(LoadingHasFailed())
                }
                .execute(on: .serial("effects"))
                .onStateReceived { state in seen.change { $0.append("received \(state)") } }
                .onEventEmitted { event in seen.change { $0.append("emitted \(event)") } }
            }
            Transitions {
                From(Loading.self) { On(LoadingHasFailed.self, transitionTo: Failed()) }
            }
        }.spin.start(observers: [log])
        await log.wait { lines in lines.contains { $0.hasPrefix("step 1") } }
        #expect(
            seen.value == ["received Loading(page: 0)", "effect on effects", "emitted LoadingHasFailed()"])
        loop.stop()
    }

    @Test func aDisabledFeedbackStartsNothing() {
        let isDisabled = Box(true)
        let runs = Box(0)
        let loop = System {
            InitialState { Volume(value: 0) }
            Feedbacks {
                Feedback(on: Volume.self, strategy: .continueOnNewState) {
                    _ -> Flow<any HostLoopVocabularies.Event> in
                    runs.change { $0 += 1 }
                    return .none
                }
                .disable { isDisabled.value }
            }
            Transitions {
                From(Volume.self) { state in On(Increase.self, transitionTo: Volume(value: state.value + 1)) }
            }
        }.execute(on: .caller).spin.start()
        #expect(runs.value == 0)
        isDisabled.value = false
        loop.emit(Increase())
        #expect(runs.value == 1)
    }

    // In the original a second `onEventEmitted` of the container replaces the first.
    @Test func whatAppliesToAllFeedbacksStacksAndReachesMediatorsToo() {
        let mediator = PassthroughMediator<Int>()
        let seen = Box<[String]>([])
        let system = System {
            InitialState { Volume(value: 14) }
            Feedbacks {
                Feedback(on: Volume.self, strategy: .cancelOnNewState) {
                    state -> Flow<any HostLoopVocabularies.Event> in
                    state.value < 15 ? .just(Increase()) : .none
                }
            }
            .onStateReceived { state in seen.change { $0.append("\(state)") } }
            .onEventEmitted { event in seen.change { $0.append("1 \(event)") } }
            .onEventEmitted { event in seen.change { $0.append("2 \(event)") } }
            Transitions {
                From(Volume.self) { state in On(Increase.self, transitionTo: Volume(value: state.value + 1)) }
            }
        }.attach(to: mediator, emitSystemEvent: { _ in Decrease() }).execute(on: .caller)
        let loop = system.spin.start()
        mediator.send(1)
        #expect(
            seen.value == [
                "1 Increase()", "2 Increase()", "Volume(value: 14)", "Volume(value: 15)", "1 Decrease()",
                "2 Decrease()",
            ])
        #expect(loop.counters.unhandled == 1)
    }
}
