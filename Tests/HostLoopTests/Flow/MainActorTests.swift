import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import TestSupport
import Testing

/// Deliveries on the main actor, which the compiler knows of.
@Suite(.timeLimit(.minutes(10))) struct MainActorTests {
    /// A view in a program: not `Sendable` by itself, guarded by the main actor.
    @MainActor private final class Screen {
        private(set) var shown: [Int] = []
        private var subscription: Subscription?
        private var waiter: CheckedContinuation<Void, Never>?
        private var limit: Int?

        func follow(_ flow: Flow<Int>) {
            subscription = flow.onMain.sink(receiveCompletion: { _ in self.resume() }) {
                self.shown.append($0)
                if self.shown.count == self.limit { self.resume() }
            }
        }

        func render(state: Int) {
            shown.append(state)
            if state == 3 { resume() }
        }

        func end() async {
            await withCheckedContinuation { waiter = $0 }
        }

        /// Waits until this many values were shown.
        func end(after count: Int) async {
            limit = count
            if shown.count < count { await end() }
        }

        private func resume() {
            waiter?.resume()
            waiter = nil
        }
    }

    @Test @MainActor func valuesOfAFlowAreDeliveredOnTheMainActor() async {
        let screen = Screen()
        screen.follow(.of(1, 2, 3))
        #expect(screen.shown == [1, 2, 3])
    }

    @Test @MainActor func valuesOfAnotherThreadFollowInOrder() async {
        let (screen, gear) = (Screen(), Gear<Int>())
        screen.follow(gear.flow)
        let emitted = Gate()
        OtherThread.start {
            for value in 1...2 { gear.propagate(event: value) }
            emitted.open()
        }
        emitted.pass()
        #expect(screen.shown == [])
        gear.propagate(event: 3)
        #expect(screen.shown == [])
        await screen.end(after: 3)
        #expect(screen.shown == [1, 2, 3])
        gear.propagate(event: 4)
        #expect(screen.shown == [1, 2, 3, 4])
    }

    @Test @MainActor func aValueEmittedDuringADeliveryFollowsIt() {
        let gear = Gear<Int>()
        var log: [String] = []
        let subscription = gear.flow.onMain.sink { value in
            log.append("begin \(value)")
            if value < 3 { gear.propagate(event: value + 1) }
            log.append("end \(value)")
        }
        gear.propagate(event: 1)
        #expect(log == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        subscription.cancel()
        gear.propagate(event: 1)
        #expect(log.count == 6)
    }

    @Test @MainActor func aPropertyIsSetToEachValueAndItsObjectIsNotKept() {
        final class Label { var text = 0 }
        let gear = Gear<Int>()
        var label: Label? = Label()
        weak let gone = label
        let subscription = gear.flow.onMain.assign(to: \.text, on: label!)
        gear.propagate(event: 7)
        #expect(label?.text == 7)
        label = nil
        #expect(gone == nil)
        gear.propagate(event: 8)
        subscription.cancel()
    }

    @Test @MainActor func aViewIsRenderedWithStatesOfAnotherThread() async {
        let model = CountModel()
        let done = AsyncGate()
        let view = RenderedView<CountState> { if $0.value == 3 { done.open() } }
        model.subscribe(view: view)
        let written = Gate()
        OtherThread.start {
            for _ in 1...3 { model.add(1) }
            written.open()
        }
        written.pass()
        #expect(view.rendered.map(\.value) == [0])
        await done.wait()
        #expect(view.rendered.map(\.value) == [0, 1, 2, 3])
    }

    @Test @MainActor func noRenderingBeginsAfterAViewHasUnsubscribed() async {
        let model = CountModel()
        let done = AsyncGate()
        let (left, stays) = (
            RenderedView<CountState>(), RenderedView<CountState> { if $0.value == 1 { done.open() } }
        )
        model.subscribe(view: left)
        model.subscribe(view: stays)
        let written = Gate()
        OtherThread.start {
            model.add(1)
            written.open()
        }
        written.pass()
        model.unsubscribe(view: left)
        await done.wait()
        #expect(left.rendered.map(\.value) == [0])
        #expect(stays.rendered.map(\.value) == [0, 1])
    }

    @Test @MainActor func anObjectOfTheMainActorIsBound() async {
        final class Field { var texts: [Int] = [] }
        let field = Field()
        let done = AsyncGate()
        let spin = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) in
                state += event
                return true
            },
            feedbacks: [
                .bind(onMain: field) { field, states in
                    Bindings(
                        subscriptions: [
                            states.onMain.sink {
                                field.texts.append($0)
                                if $0 == 3 { done.open() }
                            }
                        ],
                        events: [.of(1, 2)])
                }
            ])
        let loop = spin.start()
        await done.wait()
        #expect(field.texts == [0, 1, 3])
        loop.stop()
    }

    @Test @MainActor func aViewOfTheMainActorIsRendered() async {
        let screen = Screen()
        let uiSpin = UISpin(
            spin: Spin(initialState: 0) {
                Feedback(effect: { (state: Int) -> Int? in state < 3 ? 1 : nil })
                Reducer { (state: Int, event: Int) in state + event }
            })
        uiSpin.render(on: screen, using: { $0.render(state:) })
        uiSpin.start()
        await screen.end()
        #expect(screen.shown == [0, 1, 2, 3])
    }

    private func errors(_ text: String) throws -> [String] {
        try TypeCheck.errors(
            in: """
                import HostLoop
                import HostLoopFlow
                import HostLoopVocabularies
                final class Plain { var title = 0 }
                @MainActor final class Screen {
                    var title = 0
                    var subscription: Subscription?
                    func render(state: Int) { title = state }
                }
                struct Count: ViewState { var value = 0 }
                final class CountView: StatefulView {
                    var title = 0
                    let model = ViewModel(initialState: Count())
                    init() { model.subscribe(view: self) }
                    func render(state: Count) { title = state.value }
                }
                final class Twice: Reactor {
                    let core = ReactorCore<Int, Int, Int>(initialState: 0)
                    init() { createStateStream() }
                    func mutate(action: Int) -> Mutations<Int> { [action, action] }
                    func reduce(state: Int, mutation: Int) -> Int { state + mutation }
                }
                final class TwiceView: BaseReactorView<Twice> {
                    var title = 0
                    override func bind(reactor: Twice) {
                        reactor.states.onMain.sink { self.title = $0 }.store(in: &subscriptions)
                    }
                }
                @MainActor final class Owner {
                    let model = ViewModel(initialState: Count())
                    var writes = 0
                    func count() {
                        model.write {
                            writes += 1
                            model.state.value += 1
                        }
                    }
                }
                \(text)
                """)
    }

    @Test func whatTheMainActorGuardsNeedsNoSendable() throws {
        let correct = """
            @MainActor func show(_ flow: Flow<Int>, _ spin: UISpin<Int, Int>, _ screen: Screen, _ plain: Plain) {
                screen.subscription = flow.onMain.sink { screen.title = $0 }
                screen.subscription = flow.onMain.sink { plain.title = $0 }
                screen.subscription = flow.onMain.assign(to: \\.title, on: plain)
                spin.render(on: screen, using: { $0.render(state:) })
            }
            @MainActor func bound(_ plain: Plain) -> Feedback<Int, Int> {
                .bind(onMain: plain) { plain, states in
                    Bindings(subscriptions: [states.onMain.sink { plain.title = $0 }], events: [])
                }
            }
            @MainActor func sound(_ view: TwiceView) { view.reactor = Twice() }
            """
        #expect(try errors(correct).isEmpty)
    }

    @Test func whatIsNotGuardedIsAnError() throws {
        let elsewhere = "func follow(_ flow: Flow<Int>) -> Subscription { flow.onMain.sink { _ in } }"
        #expect(try errors(elsewhere).count == 1)
        let unguarded =
            "@MainActor func follow(_ flow: Flow<Int>, _ plain: Plain) { _ = flow.sink { plain.title = $0 } }"
        #expect(try !errors(unguarded).isEmpty)
        let rendering =
            "func show(_ model: ViewModel<Count>, _ view: CountView) { model.subscribe(view: view) }"
        #expect(try !errors(rendering).isEmpty)
        let binding = "func show(_ view: TwiceView) { view.reactor = nil }"
        #expect(try !errors(binding).isEmpty)
        let bound = """
            func bound(_ plain: Plain) -> Feedback<Int, Int> {
                .bind { states in Bindings(subscriptions: [states.sink { plain.title = $0 }], events: []) }
            }
            """
        #expect(try !errors(bound).isEmpty)
    }
}
