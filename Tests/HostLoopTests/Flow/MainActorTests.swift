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

        func follow(_ flow: Flow<Int>) {
            subscription = flow.onMain.sink(receiveCompletion: { _ in self.resume() }) {
                self.shown.append($0)
            }
        }

        func render(state: Int) {
            shown.append(state)
            if state == 3 { resume() }
        }

        func end() async {
            await withCheckedContinuation { waiter = $0 }
        }

        private func resume() {
            waiter?.resume()
            waiter = nil
        }
    }

    @Test @MainActor func valuesOfAFlowAreDeliveredOnTheMainActor() async {
        let screen = Screen()
        screen.follow(.of(1, 2, 3))
        #expect(screen.shown == [])
        await screen.end()
        #expect(screen.shown == [1, 2, 3])
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
                \(text)
                """)
    }

    @Test func whatTheMainActorGuardsNeedsNoSendable() throws {
        let correct = """
            @MainActor func show(_ flow: Flow<Int>, _ spin: UISpin<Int, Int>, _ screen: Screen, _ plain: Plain) {
                screen.subscription = flow.onMain.sink { screen.title = $0 }
                screen.subscription = flow.onMain.sink { plain.title = $0 }
                spin.render(on: screen, using: { $0.render(state:) })
            }
            """
        #expect(try errors(correct).isEmpty)
    }

    @Test func whatIsNotGuardedIsAnError() throws {
        let elsewhere = "func follow(_ flow: Flow<Int>) -> Subscription { flow.onMain.sink { _ in } }"
        #expect(try errors(elsewhere).count == 1)
        let unguarded =
            "@MainActor func follow(_ flow: Flow<Int>, _ plain: Plain) { _ = flow.sink { plain.title = $0 } }"
        #expect(try !errors(unguarded).isEmpty)
    }
}
