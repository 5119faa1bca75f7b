import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Observation
import Testing

private enum PageView: HostLoopVocabularies.State, Equatable, CanBeUndefined {
    case undefined
    case displayLoading
    case displayData(data: String)

    @Sendable static func of(_ state: any HostLoopVocabularies.State) -> PageView {
        switch state {
        case is Loading: .displayLoading
        case let loaded as Loaded: .displayData(data: loaded.data)
        default: .undefined
        }
    }
}

/// Any object is a view: this one is told of states and of nothing else.
private final class PageController: Sendable {
    let system: UISystem<PageView>
    let rendered = Box<[PageView]>([])
    private let subscriptions = Box<[Subscription]>([])

    init(system: UISystem<PageView>) {
        self.system = system
    }

    func viewDidLoad() {
        let subscription = system.states.sink { [weak self] state in self?.render(state) }
        subscriptions.change { $0.append(subscription) }
    }

    private func render(_ state: PageView) {
        rendered.change { $0.append(state) }
    }

    func onClick() {
        system.emit(Refresh())
    }
}

@Suite struct UISystemTests {
    @SystemBuilder private func pages() -> System {
        InitialState { Loading() }
        Feedbacks {}
        Transitions {
            From(Loading.self) { state in
                On(DataIsLoaded.self, transitionTo: Loaded.self) { Loaded(page: state.page, data: $0.data) }
                On(Cancel.self, transitionTo: Loading(page: state.page + 1))
            }
            From(Loaded.self) { On(Refresh.self, transitionTo: Loading()) }
        }
    }

    // The original publishes on main; here nothing hops there unless `publish(on: .main)` says so.
    @Test func fb19_viewStatesBeginUndefinedAndArePublishedWhenTheyDiffer() {
        let system = UISystem(viewStateFactory: PageView.of) { pages() }
        system.execute(on: .caller)
        let published = Box<[PageView]>([])
        let subscription = system.states.sink { state in published.change { $0.append(state) } }
        #expect(system.state == .undefined)
        system.run()
        #expect(system.state == .displayLoading)
        system.emit(Cancel())
        system.emit(DataIsLoaded(data: "a"))
        #expect(published.value == [.undefined, .displayLoading, .displayData(data: "a")])
        subscription.cancel()
    }

    @Test func fb20_aUISystemIsMadeOfASystem() {
        let system = pages().execute(on: .caller)
        let uiSystem = system.uiSystem(viewStateFactory: PageView.of).run()
        #expect(uiSystem.state == .displayLoading)
        uiSystem.emit(DataIsLoaded(data: "b"))
        #expect(uiSystem.state == .displayData(data: "b"))
    }

    @Test func fb22_aViewIsAnyObjectThatFollowsStatesAndEmits() {
        let controller = PageController(
            system: pages().execute(on: .caller).uiSystem(viewStateFactory: PageView.of))
        controller.viewDidLoad()
        controller.system.run()
        controller.system.emit(DataIsLoaded(data: "c"))
        controller.onClick()
        #expect(
            controller.rendered.value == [
                .undefined, .displayLoading, .displayData(data: "c"), .displayLoading,
            ])
    }

    @Test func viewStatesAreMadeOnOneExecutorAndPublishedOnAnother() async {
        let places = Box<[String]>([])
        let done = AsyncGate()
        let system = UISystem(
            viewStateFactory: { state -> PageView in
                places.change { $0.append("made on \(LoopExecutor.current?.label ?? "none")") }
                return PageView.of(state)
            }, on: .serial("factory")
        ) { pages() }
        .publish(on: .serial("screen"))
        let subscription = system.states.sink { state in
            guard state != .undefined else { return }
            places.change { $0.append("shown on \(LoopExecutor.current?.label ?? "none")") }
            if case .displayData = state { done.open() }
        }
        system.run()
        system.emit(DataIsLoaded(data: "a"))
        await done.wait()
        #expect(places.value.filter { $0.hasPrefix("made") } == ["made on factory", "made on factory"])
        #expect(places.value.filter { $0.hasPrefix("shown") } == ["shown on screen", "shown on screen"])
        subscription.cancel()
    }

    @Test func aRunningSystemHasAStreamOfItsStates() {
        let system = pages()
        #expect(system.loop == nil)
        system.run(subscribeOn: .caller)
        let seen = Box<[String]>([])
        let subscription = system.loop?.stream.sink { state in seen.change { $0.append("\(state)") } }
        system.loop?.emit(DataIsLoaded(data: "a"))
        #expect(seen.value == ["Loading(page: 0)", #"Loaded(page: 0, data: "a")"#])
        system.stop()
        #expect(system.loop == nil)
        subscription?.cancel()
    }

    private enum NamedAsInFeedbacks: System.ViewState {
        case undefined
    }

    @Test func aViewStateHasTheRequirementsOfFeedbacks() {
        let system = pages().uiSystem(viewStateFactory: { _ in NamedAsInFeedbacks.undefined })
        #expect(system.state == .undefined)
    }

    // In the original the initial state appears twice.
    @Test func aRawSystemPublishesEveryStateEqualOrNot() {
        let system = UISystem { pages() }
        system.execute(on: .caller)
        let published = Box<[String]>([])
        let subscription = system.states.sink { raw in published.change { $0.append("\(raw.state)") } }
        #expect(system.state.state is Loading)
        system.run()
        system.emit(Cancel())
        system.emit(DataIsLoaded())
        #expect(
            published.value == ["Loading(page: 0)", "Loading(page: 1)", #"Loaded(page: 1, data: "")"#])
        system.stop()
        system.run()
        #expect(published.value.last == "Loading(page: 0)")
        subscription.cancel()
    }

    @Test func theStateOfAUISystemIsObserved() {
        let system = pages().execute(on: .caller).uiSystem(viewStateFactory: PageView.of).run()
        let changes = Box(0)
        withObservationTracking {
            _ = system.state
        } onChange: {
            changes.change { $0 += 1 }
        }
        system.emit(Cancel())
        #expect(changes.value == 0)
        system.emit(DataIsLoaded())
        #expect(changes.value == 1)
    }

    @Test func anEventForASystemThatDoesNotRunIsAnsweredStopped() {
        let system = pages().execute(on: .caller).uiSystem()
        #expect(system.emit(Cancel()) == .stopped)
        system.run()
        #expect(system.emit(Cancel()) == .queued)
        system.stop()
        #expect(system.emit(Cancel()) == .stopped)
    }

    @Test func anEffectOfTheInitialStateMayEmitIntoItsOwnSystem() {
        let system = Box<UISystem<RawState>?>(nil)
        system.value =
            System {
                InitialState { Loading() }
                Feedbacks {}.onStateReceived { state in
                    if state is Loading { system.value?.emit(LoadingHasFailed()) }
                }
                Transitions {
                    From(Loading.self) { On(LoadingHasFailed.self, transitionTo: Failed()) }
                }
            }.execute(on: .caller).uiSystem()
        system.value?.run()
        #expect(system.value?.state.state is Failed)
        system.value = nil
    }

    @Test func whatAUserEmitsReachesOnEventEmitted() {
        let seen = Box<[String]>([])
        let system = UISystem(viewStateFactory: PageView.of) {
            InitialState { Loading() }
            Feedbacks {}.onEventEmitted { event in seen.change { $0.append("\(event)") } }
            Transitions {}
        }.execute(on: .caller).run()
        system.emit(Refresh())
        #expect(seen.value == ["Refresh()"])
    }

    @Test func aUISystemIsReleasedWhileItRuns() {
        var system: UISystem<RawState>? = pages().execute(on: .caller).uiSystem().run()
        weak let released = system
        system?.emit(Cancel())
        system = nil
        #expect(released == nil)
    }

    @Test(arguments: 0..<3)
    func statesArePublishedOnTheExecutorThatWasChosen(form: Int) async {
        let views = LoopExecutor.serial("views")
        let system =
            switch form {
            case 0: pages().uiSystem(viewStateFactory: PageView.of).publish(on: views)
            case 1: pages().uiSystem(viewStateFactory: PageView.of, on: views)
            default: UISystem(viewStateFactory: PageView.of, on: views) { pages() }
            }
        let label = await withCheckedContinuation { continuation in
            let subscription = Box<Subscription?>(nil)
            subscription.value = system.states.sink { state in
                guard state == .displayLoading, subscription.value != nil else { return }
                subscription.value = nil
                continuation.resume(returning: LoopExecutor.current?.label)
            }
            system.run()
        }
        #expect(label == "views")
        system.stop()
    }
}
