import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

@Suite struct SideEffectTests {
    /// A system in which effects stay open, to be emitted from by the test.
    private struct Bench {
        let sinks = Box<[FlowSink<any HostLoopVocabularies.Event>]>([])
        let loop: Loop<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>

        init(_ strategy: SideEffectStrategy) {
            let sinks = sinks
            loop =
                System {
                    InitialState { Loading(page: 1) }
                    Feedbacks {
                        Feedback(on: Loading.self, strategy: strategy) {
                            _ -> Flow<any HostLoopVocabularies.Event> in
                            Flow { sink in sinks.change { $0.append(sink) } }
                        }
                    }
                    Transitions {
                        From(Loading.self) { state in
                            On(Refresh.self, transitionTo: Loading(page: state.page + 1))
                        }
                        From(AnyState.self) {
                            On(DataIsLoaded.self, transitionTo: Loaded.self) { Loaded(data: $0.data) }
                            On(LoadingHasFailed.self, transitionTo: Failed())
                        }
                    }
                }.execute(on: .caller).spin.start()
        }

        func emit(_ data: String, from run: Int) -> EmitResult {
            sinks.value[run].emit(DataIsLoaded(data: data))
        }
    }

    @Test func aSideEffectThrowsOnlyIfItsFunctionMayThrow() throws {
        @Sendable func sum(_ summand: Int, _ value: Int) -> Int { summand + value }
        @Sendable func quotient(_ divisor: Int, _ value: Int) throws -> Int {
            guard divisor != 0 else { throw Counting.Failure() }
            return value / divisor
        }
        let plain = SideEffect.make(sum, arg: 1)
        #expect(plain(2) == 3)
        let throwing = SideEffect.make(quotient, arg1: 0)
        #expect(throws: Counting.Failure.self) { try throwing(2) }
    }

    @Test func fb6_aStateOfTheTypeCancelsTheRunUnderCancelOnNewState() {
        let bench = Bench(.cancelOnNewState)
        bench.loop.emit(Refresh())
        #expect(bench.emit("first", from: 0) == .cancelled)
        #expect(bench.emit("second", from: 1) == .queued)
        #expect(bench.loop.state as? Loaded == Loaded(data: "second"))
    }

    @Test func fb6_runsOverlapUnderContinueOnNewState() {
        let bench = Bench(.continueOnNewState)
        bench.loop.emit(Refresh())
        #expect(bench.emit("second", from: 1) == .queued)
        #expect(bench.emit("first", from: 0) == .queued)
        #expect(bench.loop.state as? Loaded == Loaded(data: "first"))
        #expect(bench.loop.counters.steps == 3)
    }

    // As in the original: the filter of the type comes before the strategy.
    @Test func aStateOfAnotherTypeDoesNotCancelUnderCancelOnNewState() {
        let bench = Bench(.cancelOnNewState)
        bench.loop.emit(LoadingHasFailed())
        #expect(bench.emit("late", from: 0) == .queued)
        #expect(bench.loop.state as? Loaded == Loaded(data: "late"))
    }

    @Test func aStateOfAnotherTypeCancelsUnderCancelOnAnyState() {
        let bench = Bench(.cancelOnAnyState)
        bench.loop.emit(LoadingHasFailed())
        #expect(bench.emit("late", from: 0) == .cancelled)
        #expect(bench.loop.state is Failed)
    }

    @Test func aStateThatComesWhileARunLastsIsSkippedOrWaits() {
        let skipping = Bench(.skipWhileRunning)
        skipping.loop.emit(Refresh())
        skipping.sinks.value[0].finish()
        #expect(skipping.sinks.value.count == 1)
        let queueing = Bench(.queue)
        queueing.loop.emit(Refresh())
        #expect(queueing.sinks.value.count == 1)
        queueing.sinks.value[0].finish()
        #expect(queueing.sinks.value.count == 2)
    }

    @Test func theStrategyIsReportedOncePerLoopBeforeAnythingRuns() {
        let told = Box<[SideEffectStrategy]>([])
        let system = System {
            InitialState { Volume(value: 0) }
            Feedbacks {
                Feedback(
                    on: Volume.self, strategy: .queue,
                    willExecuteWithStrategy: { strategy in told.change { $0.append(strategy) } }
                ) { state -> Flow<any HostLoopVocabularies.Event> in
                    #expect(!told.value.isEmpty)
                    return state.value < 3 ? .just(Increase()) : .none
                }
            }
            Transitions {
                From(Volume.self) { state in On(Increase.self, transitionTo: Volume(value: state.value + 1)) }
            }
        }.execute(on: .caller)
        #expect(told.value.isEmpty)
        let loops = (system.spin.start(), system.spin.start())
        #expect(told.value == [.queue, .queue])
        #expect(loops.0.counters.steps == 3)
    }

    // MARK: - Which states

    private func seen(
        by feedback: (Box<[String]>) -> Feedback<
            any HostLoopVocabularies.State, any HostLoopVocabularies.Event
        >
    )
        -> [String]
    {
        let seen = Box<[String]>([])
        let loop = System {
            InitialState { Loading() }
            Feedbacks { feedback(seen) }
            Transitions {
                From(Loading.self) { On(LoadingHasFailed.self, transitionTo: Failed()) }
                From(Failed.self) { On(Refresh.self, transitionTo: Loading(page: 1)) }
            }
        }.execute(on: .caller).spin.start()
        loop.emit(LoadingHasFailed())
        loop.emit(Refresh())
        return seen.value
    }

    @Test func fb12_aFeedbackOnAnyStateIsGivenEveryState() {
        let states = seen { seen in
            Feedback(on: AnyState.self, strategy: .continueOnNewState) {
                state -> Flow<any HostLoopVocabularies.Event> in
                seen.change { $0.append("\(state)") }
                return .none
            }
        }
        #expect(states == ["Loading(page: 0)", "Failed()", "Loading(page: 1)"])
    }

    @Test func fb13_aFeedbackOnATypeIsGivenTheStatesOfThatType() {
        let states = seen { seen in
            Feedback(on: Loading.self, strategy: .continueOnNewState) {
                state -> Flow<any HostLoopVocabularies.Event> in
                seen.change { $0.append("\(state)") }
                return .none
            }
        }
        #expect(states == ["Loading(page: 0)", "Loading(page: 1)"])
    }

    @Test func aStreamFeedbackIsGivenTheFlowOfItsStates() {
        let ofType = seen { seen in
            Feedback(on: Loading.self) { (states: Flow<Loading>) in
                states.compactMap { state in
                    seen.change { $0.append("\(state)") }
                    return nil
                }
            }
        }
        #expect(ofType == ["Loading(page: 0)", "Loading(page: 1)"])
        let all = seen { seen in
            Feedback(on: AnyState.self) { states in
                states.compactMap { state in
                    seen.change { $0.append("\(state)") }
                    return nil
                }
            }
        }
        #expect(all == ["Loading(page: 0)", "Failed()", "Loading(page: 1)"])
    }

    // MARK: - What an effect answers

    private func result(
        of feedback: Feedback<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>
    ) async -> String? {
        let log = SystemLog()
        let loop = System {
            InitialState { Loading(page: 7) }
            Feedbacks { feedback }
            Transitions {
                From(AnyState.self) {
                    On(DataIsLoaded.self, transitionTo: Loaded.self) { Loaded(data: $0.data) }
                }
            }
        }.spin.start(observers: [log])
        await log.wait { lines in lines.contains { $0.hasPrefix("step 1") } }
        return (loop.state as? Loaded)?.data
    }

    @Test func anEffectMayAnswerAnEventDirectly() async {
        #expect(
            await result(
                of: Feedback(on: Loading.self, strategy: .cancelOnNewState) { state in
                    DataIsLoaded(data: "page \(state.page)")
                }) == "page 7")
        #expect(
            await result(
                of: Feedback(on: AnyState.self, strategy: .cancelOnNewState) { state in
                    state is Loading ? DataIsLoaded(data: "loading") : nil
                }) == "loading")
    }

    private func load(_ page: Int) async -> String {
        await Task.yield()
        return "page \(page)"
    }

    @Test func anEffectMayBeAsynchronous() async {
        #expect(
            await result(
                of: Feedback(on: Loading.self, strategy: .cancelOnNewState) { state in
                    DataIsLoaded(data: await load(state.page))
                }) == "page 7")
        #expect(
            await result(
                of: Feedback(on: AnyState.self, strategy: .cancelOnNewState) { state in
                    state is Loading ? DataIsLoaded(data: await load(1)) : nil
                }) == "page 1")
    }

    // MARK: - Dependencies

    private static let add:
        @Sendable (Int, Int, Int, Int, Int, Loading) -> Flow<any HostLoopVocabularies.Event> = {
            .just(DataIsLoaded(data: "\($0)\($1)\($2)\($3)\($4)\($5.page)"))
        }

    @Test func fb7_aSideEffectWithDependenciesEqualsAClosureWrittenByHand() async {
        let load: @Sendable (String, Int, Loading) -> Flow<any HostLoopVocabularies.Event> = {
            service, factor, state in
            .just(DataIsLoaded(data: "\(service) \(factor * state.page)"))
        }
        let made = SideEffect.make(load, arg1: "network", arg2: 6)
        let byHand: @Sendable (Loading) throws -> Flow<any HostLoopVocabularies.Event> = {
            load("network", 6, $0)
        }
        for effect in [made, byHand] {
            let feedback = Feedback(on: Loading.self, strategy: .cancelOnNewState, perform: effect)
            #expect(await result(of: feedback) == "network 42")
        }
    }

    @Test func fb7_oneToFiveDependenciesAreGivenInOrder() async {
        let add = Self.add
        let four = SideEffect.make({ add($0, $1, $2, $3, 0, $4) }, arg1: 1, arg2: 2, arg3: 3, arg4: 4)
        let three = SideEffect.make({ add($0, $1, $2, 0, 0, $3) }, arg1: 1, arg2: 2, arg3: 3)
        let one = SideEffect.make({ add($0, 0, 0, 0, 0, $1) }, arg: 1)
        let five = SideEffect.make(add, arg1: 1, arg2: 2, arg3: 3, arg4: 4, arg5: 5)
        let expected = ["100007", "123007", "123407", "123457"]
        for (effect, data) in zip([one, three, four, five], expected) {
            let feedback = Feedback(on: Loading.self, strategy: .cancelOnNewState, perform: effect)
            #expect(await result(of: feedback) == data)
        }
    }

    @Test func fb7_aDependencyMayBeGivenToAnEffectOnAnyStateAndToOneOnAFlow() async {
        let onAny = SideEffect.make(
            { (data: String, state: any HostLoopVocabularies.State) -> Flow<any HostLoopVocabularies.Event> in
                state is Loading ? .just(DataIsLoaded(data: data)) : .none
            }, arg: "any")
        #expect(
            await result(of: Feedback(on: AnyState.self, strategy: .cancelOnNewState, perform: onAny))
                == "any")
        let onFlow = SideEffect.make(
            { (data: String, states: Flow<Loading>) -> Flow<any HostLoopVocabularies.Event> in
                states.map { _ in DataIsLoaded(data: data) }
            }, arg: "flow")
        #expect(await result(of: Feedback(on: Loading.self, perform: onFlow)) == "flow")
    }
}
