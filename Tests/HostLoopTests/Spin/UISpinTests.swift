import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Observation
import Testing

/// The cases of Spin.Swift's README: a spin with a user interface, which is any object.
@Suite(.timeLimit(.minutes(10))) struct UISpinTests {
    struct Counter: Sendable, Equatable {
        var value = 0
        var isPaused = true
    }

    enum Event: Sendable, Equatable {
        case add(Int)
        case toggle
        case pause(Bool)
    }

    /// A view that writes down what it shows, and where.
    final class Screen: Sendable {
        let shown: Box<[Int]>
        let labels = Box<Set<String>>([])
        /// Opened when three is shown.
        let three = AsyncGate()

        init(_ shown: Box<[Int]> = Box([])) {
            self.shown = shown
        }

        func render(state: Counter) {
            labels.change { $0.insert(LoopExecutor.current?.label ?? "none") }
            shown.change { $0.append(state.value) }
            if state.value == 3 { three.open() }
        }
    }

    @Test func anExtraFunctionIsCalledForEachState() {
        let calls = Box(0)
        let uiSpin = SwiftUISpin(spin: counter(), extraRenderStateFunction: { calls.change { $0 += 1 } })
        uiSpin.start()
        uiSpin.emit(.add(1))
        #expect(calls.value == 2)
    }

    @Test func eachHandledEventComesOnceToThoseWhoSubscribed() {
        let uiSpin = UISpin(spin: counter())
        let seen = Box<[String]>([])
        uiSpin.start()
        uiSpin.emit(.add(1))
        let subscription = uiSpin.events.sink { event in
            seen.change { $0.append("\(event) makes \(uiSpin.state.value)") }
        }
        uiSpin.emit(.add(2))
        uiSpin.perform(.add(0))
        uiSpin.stop()
        uiSpin.emit(.add(5))
        uiSpin.start()
        uiSpin.emit(.add(7))
        #expect(seen.value == ["add(2) makes 3", "add(0) makes 3", "add(7) makes 7"])
        subscription.cancel()
        uiSpin.emit(.add(1))
        #expect(seen.value.count == 3)
    }

    @Test func aRunningLoopIsPutBackToAnEarlierState() {
        let (shown, asked) = (Box<[Int]>([]), Box<[Int]>([]))
        let effect = Feedback<Counter, Event>.onChange("ask", request: { $0.value }) { value in
            asked.change { $0.append(value) }
            return nil
        }
        let uiSpin = UISpin(spin: counter(effect))
        let subscription = uiSpin.stream.sink { state in shown.change { $0.append(state.value) } }
        uiSpin.start()
        let history = [uiSpin.state]
        for _ in 0..<2 { uiSpin.emit(.add(1)) }
        uiSpin.restart(from: history[0])
        #expect(uiSpin.state == Counter())
        uiSpin.emit(.add(5))
        #expect(shown.value == [0, 1, 2, 0, 5])
        #expect(asked.value == [0, 1, 2, 0, 5])
        uiSpin.stop()
        uiSpin.restart(from: Counter(value: 9))
        #expect(uiSpin.emit(.toggle) == .queued)
        #expect(uiSpin.state == Counter(value: 9, isPaused: false))
        subscription.cancel()
    }

    @Test func anEffectOfTheOldLoopChangesNothingOnceTheLoopWasPutBack() {
        let runs = Box<[Run<Event>]>([])
        let effect = Feedback<Counter, Event>.onChange("work", request: { $0.value == 1 ? 1 : nil }) {
            _, run in
            runs.change { $0.append(run) }
            return .pending
        }
        let uiSpin = UISpin(spin: counter(effect))
        uiSpin.start()
        uiSpin.emit(.add(1))
        uiSpin.restart(from: Counter(value: 7))
        #expect(runs.value.map { $0.emit(.add(100)) } == [.stopped])
        #expect(uiSpin.state.value == 7)
        for run in runs.value { run.finish() }
    }

    @Test func aLoopStartsFromASavedState() {
        let saved = counter().start()
        saved.emit(.add(3))
        let restored = counter().starting(from: saved.state).start()
        #expect(restored.state.value == 3)
    }

    private func counter(
        executeOn executor: LoopExecutor = .caller, until: (@Sendable (Counter) -> Bool)? = nil,
        _ feedbacks: Feedback<Counter, Event>...
    ) -> Spin<Counter, Event> {
        Spin(initialState: Counter(), executeOn: executor, until: until) {
            feedbacks
            Reducer { (state: inout Counter, event: Event) -> Bool in
                switch event {
                case .add(let value): state.value += value
                case .toggle: state.isPaused.toggle()
                case .pause(let isPaused): state.isPaused = isPaused
                }
                return true
            }
        }
    }

    // The original renders on main; here that is said.
    @Test func spin15_everyStateIsRenderedInOrderTheInitialOneFirst() async {
        let (main, own) = (Screen(), Screen())
        let uiSpin = UISpin(
            spin: counter(
                executeOn: .serial("counter"),
                Feedback(effect: { $0.value < 3 ? .add(1) : nil })))
        uiSpin.render(on: main, using: { $0.render(state:) }, executeOn: .main)
        uiSpin.render(on: own, using: { $0.render(state:) })
        #expect(own.shown.value.isEmpty)
        uiSpin.start()
        await main.three.wait()
        await own.three.wait()
        #expect(main.shown.value == [0, 1, 2, 3])
        #expect(main.labels.value == ["main"])
        #expect(own.shown.value == [0, 1, 2, 3])
        #expect(own.labels.value == ["counter"])
    }

    @Test func anObjectThatShowsStatesIsNotKept() {
        let shown = Box<[Int]>([])
        var screen: Screen? = Screen(shown)
        weak let released = screen
        let uiSpin = UISpin(spin: counter())
        if let screen { uiSpin.render(on: screen, using: { $0.render(state:) }) }
        uiSpin.start()
        uiSpin.emit(.add(1))
        // Equal to the state before, and shown all the same.
        uiSpin.emit(.add(0))
        screen = nil
        #expect(released == nil)
        uiSpin.emit(.add(1))
        #expect(shown.value == [0, 1, 1])
        #expect(uiSpin.state.value == 2)
    }

    @Test func spin16_aStartedLoopEndsWithItsUISpin() {
        let source = HandSource<Event>()
        var uiSpin: UISpin<Counter, Event>? = UISpin(spin: counter(Feedback(source: { source.flow })))
        #expect(source.count == 0)
        uiSpin?.start()
        uiSpin?.start()
        #expect(source.count == 1)
        source.emit(.add(1))
        #expect(uiSpin?.state.value == 1)
        uiSpin = nil
        #expect(source.cancelled == [0])
    }

    @Test func aSubscriptionRunsTheLoopOfAUISpinToo() {
        let source = HandSource<Event>()
        let uiSpin = UISpin(spin: counter(Feedback(source: { source.flow })))
        var subscriptions: [Subscription] = []
        Flow.start(spin: uiSpin).store(in: &subscriptions)
        #expect(uiSpin.emit(.add(1)) == .queued)
        subscriptions = []
        #expect(source.cancelled == [0])
        #expect(uiSpin.emit(.add(1)) == .stopped)
    }

    // In the original an event that comes before the start is lost without a word.
    @Test func spin17_anEventReachesTheReducerOnTheExecutor() async {
        let labels = Box<[String?]>([])
        let spin = Spin(initialState: 0, executeOn: .serial("counter")) {
            Reducer { (state: Int, event: Int) -> Int in
                labels.change { $0.append(LoopExecutor.current?.label) }
                return state + event
            }
        }
        let uiSpin = UISpin(spin: spin)
        #expect(uiSpin.emit(5) == .stopped)
        await withCheckedContinuation { continuation in
            uiSpin.render(
                on: labels, using: { _ in { state in if state == 1 { continuation.resume() } } })
            uiSpin.start()
            #expect(uiSpin.emit(1) == .queued)
        }
        #expect(labels.value == ["counter"])
        #expect(uiSpin.state == 1)
    }

    // Without SwiftUI a binding is what has a value to get and to set.
    @Test func spin18_aBindingReadsAPartOfTheStateAndEmitsWhenItIsSet() {
        let uiSpin = SwiftUISpin(spin: counter())
        let toggled = uiSpin.binding(for: \.isPaused, event: .toggle)
        let paused = uiSpin.binding(for: \.isPaused, event: { .pause($0) })
        #expect(toggled.wrappedValue)
        toggled.wrappedValue = false
        // It has not been started.
        #expect(toggled.wrappedValue)
        uiSpin.start()
        toggled.wrappedValue = true
        #expect(!toggled.wrappedValue)
        paused.wrappedValue = true
        #expect(toggled.wrappedValue)
        paused.wrappedValue = true
        #expect(uiSpin.state.isPaused)
    }

    @Test func aBindingKeepsNoLoopRunning() {
        let source = HandSource<Event>()
        var uiSpin: UISpin<Counter, Event>? = UISpin(spin: counter(Feedback(source: { source.flow })))
        uiSpin?.start()
        uiSpin?.emit(.add(7))
        let value = uiSpin?.binding(for: \.value, event: { .add($0) })
        uiSpin = nil
        #expect(source.cancelled == [0])
        value?.wrappedValue = 1
        #expect(value?.wrappedValue == 7)
    }

    // MARK: - Beyond the cases

    @Test func theStateIsObserved() {
        let uiSpin = UISpin(spin: counter())
        let seen = Box<[Int]>([])
        @Sendable func follow(_ uiSpin: UISpin<Counter, Event>) {
            _ = withObservationTracking {
                uiSpin.state
            } onChange: { [weak uiSpin] in
                guard let uiSpin else { return }
                seen.change { $0.append(uiSpin.state.value) }
                follow(uiSpin)
            }
        }
        follow(uiSpin)
        uiSpin.start()
        #expect(seen.value == [])
        uiSpin.emit(.add(1))
        uiSpin.emit(.add(0))
        uiSpin.stop()
        #expect(seen.value == [1, 1])
        // Another loop begins anew.
        uiSpin.start()
        #expect(seen.value == [1, 1, 0])
    }

    @Test func aViewMayEmitWhenItIsShownTheInitialState() {
        let uiSpin = UISpin(spin: counter())
        let results = Box<[EmitResult?]>([])
        uiSpin.render(
            on: results,
            using: { [weak uiSpin] results in
                { state in
                    guard state.value == 0 else { return }
                    results.change { $0.append(uiSpin?.emit(.add(1))) }
                }
            })
        uiSpin.start()
        #expect(results.value == [.queued])
        #expect(uiSpin.state.value == 1)
    }

    @Test func viewsSeeAStateBeforeTheEffectsOfTheSpin() {
        let lines = Box<[String]>([])
        let uiSpin = UISpin(
            spin: counter(
                Feedback(effect: { state in lines.change { $0.append("effect \(state.value)") } })))
        uiSpin.render(
            on: lines, using: { lines in { state in lines.change { $0.append("view \(state.value)") } } })
        uiSpin.start()
        uiSpin.emit(.add(1))
        #expect(lines.value == ["view 0", "effect 0", "view 1", "effect 1"])
    }

    @Test func aLoopThatHasEndedByItselfAnswersStopped() {
        let uiSpin = UISpin(spin: counter(until: { $0.value == 1 }))
        uiSpin.start()
        uiSpin.emit(.add(1))
        #expect(uiSpin.emit(.add(1)) == .stopped)
        #expect(uiSpin.state.value == 1)
    }

    @Test func aViewThatComesTooLateIsAFailureWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let spin = Spin(initialState: 0, executeOn: .caller) { Reducer { (_: Int, event: Int) in event } }
            let uiSpin = UISpin(spin: spin)
            uiSpin.start()
            uiSpin.render(on: uiSpin, using: { _ in { _ in } })
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("a UISpin was given something to render on after `start()`"))
    }
}
