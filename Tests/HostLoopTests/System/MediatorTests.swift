import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

@Suite struct MediatorTests {
    /// A system that is loading, and goes where events tell it.
    private func system(_ start: any HostLoopVocabularies.State = Loading()) -> System {
        System {
            InitialState { start }
            Feedbacks {}
            Transitions {
                From(AnyState.self) {
                    On(DataIsLoaded.self, transitionTo: Loaded.self) { Loaded(data: $0.data) }
                    On(LoadingHasFailed.self, transitionTo: Failed())
                    On(Refresh.self, transitionTo: Loading(page: 1))
                }
            }
        }.execute(on: .caller)
    }

    private func states(of system: System, during body: () -> Void) -> [String] {
        let log = SystemLog()
        let loop = system.spin.start(observers: [log])
        body()
        loop.stop()
        return log.words
    }

    // MARK: - From a mediator

    @Test func aValueBecomesAnEventIfTheClosureMakesOneOfIt() {
        let mediator = PassthroughMediator<Int>()
        let system = system().attach(to: mediator, emitSystemEvent: { $0 == 1 ? Refresh() : nil })
        let states = states(of: system) {
            mediator.send(2)
            mediator.send(1)
        }
        #expect(states == ["Loading(page: 0)", "Loading(page: 1)"])
    }

    @Test func aCertainValueBecomesTheEventThatTheClosureMakes() {
        let mediator = PassthroughMediator<Int>()
        let system = system().attach(
            to: mediator, onMediatorValue: 1701, emitSystemEvent: { DataIsLoaded(data: "\($0)") })
        let states = states(of: system) {
            mediator.send(2)
            mediator.send(1701)
        }
        #expect(states == ["Loading(page: 0)", #"Loaded(page: 0, data: "1701")"#])
    }

    @Test func aCertainValueBecomesAnEvent() {
        let mediator = PassthroughMediator<Int>()
        let system = system().attach(to: mediator, onMediatorValue: 1701, emitSystemEvent: Refresh())
        let states = states(of: system) {
            mediator.send(2)
            mediator.send(1701)
        }
        #expect(states == ["Loading(page: 0)", "Loading(page: 1)"])
    }

    // MARK: - To a mediator

    private func values(
        from system: (System, PassthroughMediator<String>) -> System,
        _ events: [any HostLoopVocabularies.Event]
    ) -> [String] {
        let mediator = PassthroughMediator<String>()
        let values = Box<[String]>([])
        let subscription = mediator.flow.sink { value in values.change { $0.append(value) } }
        let loop = system(self.system(), mediator).spin.start()
        for event in events { loop.emit(event) }
        subscription.cancel()
        return values.value
    }

    private let events: [any HostLoopVocabularies.Event] = [
        DataIsLoaded(data: "a"), Refresh(), DataIsLoaded(data: "b"),
    ]

    @Test func aStateBecomesAValueIfTheClosureMakesOneOfIt() {
        let values = values(
            from: { $0.attach(to: $1, emitMediatorValue: { $0 is Loading ? "\($0)" : nil }) }, events)
        #expect(values == ["Loading(page: 0)", "Loading(page: 1)"])
    }

    @Test func aStateOfATypeBecomesTheValueThatTheClosureMakes() {
        let values = values(
            from: { $0.attach(to: $1, onSystemStateType: Loaded.self, emitMediatorValue: { $0.data }) },
            events)
        #expect(values == ["a", "b"])
    }

    @Test func aStateOfATypeBecomesAValue() {
        let values = values(
            from: { $0.attach(to: $1, onSystemStateType: Loaded.self, emitMediatorValue: "loaded") }, events)
        #expect(values == ["loaded", "loaded"])
    }

    @Test func aCertainStateBecomesTheValueThatTheClosureMakes() {
        let values = values(
            from: {
                $0.attach(to: $1, onSystemState: Loaded(data: "b"), emitMediatorValue: { "<\($0.data)>" })
            },
            events)
        #expect(values == ["<b>"])
    }

    @Test func aCertainStateBecomesAValue() {
        let values = values(
            from: { $0.attach(to: $1, onSystemState: Loaded(data: "b"), emitMediatorValue: "done") }, events)
        #expect(values == ["done"])
    }

    // MARK: - Two systems

    @Test func fb17_twoSystemsSpeakThroughAMediator() {
        let mediator = PassthroughMediator<Int>()
        let systemA = system().attach(
            to: mediator, onSystemStateType: Loaded.self, emitMediatorValue: { _ in 1701 })
        let systemB = system().attach(
            to: mediator, onMediatorValue: 1701, emitSystemEvent: { _ in LoadingHasFailed() })
        let states = states(of: systemB) {
            let loop = systemA.spin.start()
            loop.emit(Refresh())
            loop.emit(DataIsLoaded())
        }
        #expect(states == ["Loading(page: 0)", "Failed()"])
    }

    @Test func fb18_aSystemIsAttachedToAnother() {
        let systemA = system()
        let systemB = system()
        systemA.attach(
            to: systemB, onSystemStateType: Loaded.self,
            emitAttachedSystemEvent: { stateFromA in DataIsLoaded(data: stateFromA.data) })
        let states = states(of: systemB) {
            let loop = systemA.spin.start()
            loop.emit(DataIsLoaded(data: "from A"))
        }
        #expect(states == ["Loading(page: 0)", #"Loaded(page: 0, data: "from A")"#])
    }

    @Test func aSystemThatStartsLaterHearsOfTheCurrentValueOnly() {
        let current = CurrentValueMediator(1)
        current.send(2)
        current.value = 3
        #expect(current.value == 3)
        let hears = system().attach(to: current, emitSystemEvent: { DataIsLoaded(data: "\($0)") })
        #expect(states(of: hears) {} == ["Loading(page: 0)", #"Loaded(page: 0, data: "3")"#])
        let passing = PassthroughMediator<Int>()
        passing.send(1)
        let misses = system().attach(to: passing, emitSystemEvent: { DataIsLoaded(data: "\($0)") })
        #expect(states(of: misses) {} == ["Loading(page: 0)"])
    }

    @Test func aSystemThatHasStoppedIsForgottenByItsMediator() {
        let mediator = PassthroughMediator<Int>()
        let heard = Box(0)
        let system = system().attach(
            to: mediator,
            emitSystemEvent: { _ in
                heard.change { $0 += 1 }
                return nil
            })
        _ = states(of: system) { mediator.send(1) }
        mediator.send(2)
        #expect(heard.value == 1)
    }
}
