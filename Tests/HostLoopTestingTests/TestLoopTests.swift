import Dispatch
import HostLoop
import HostLoopTesting
import Testing

@Suite struct TestLoopTests {
    private let failures = Failures()

    private func test(
        _ exhaustivity: Exhaustivity = .on, _ feedbacks: Feedback<Shop.State, Shop.Event>...
    ) -> TestLoop<Shop.State, Shop.Event> {
        TestLoop(
            Spin(initialState: Shop.State(), reducer: Shop.reducer, feedbacks: feedbacks),
            exhaustivity: exhaustivity, report: failures.report)
    }

    // MARK: - Sending and receiving

    @Test func aTestThatAssertsEverythingReportsNothing() {
        let test = test(.on, Shop.loads)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        #expect(test.state == Shop.State(page: 1, isLoading: true))
        #expect(test.loop.state.items == [10])
        test.receive(.loaded([10])) {
            $0.isLoading = false
            $0.items = [10]
        }
        test.send(.rate(3), newState: Shop.State(page: 1, items: [10], note: "rating 3"))
        test.sendUnhandled(.ignored)
        test.sendFailing(.broken) { $0 as? Shop.Failure == Shop.Failure() }
        #expect(test.state == test.loop.state)
        test.finish()
        #expect(failures.messages == [])
        #expect(test.loop.emit(.load) == .stopped)
    }

    @Test func aFailureShowsTheFieldsThatDiffer() {
        let test = test()
        let line = #line
        test.send(.load) { $0.page = 2 }
        test.send(.loaded([4]))
        test.send(.rate(1)) {
            $0.note = "rating 1"
        }
        test.finish()
        #expect(
            failures.messages == [
                """
                send(.load): the new state is not the expected one (- expected, + actual)
                - page: 2
                + page: 1
                - isLoading: false
                + isLoading: true
                """,
                """
                send(.loaded([4])): the new state is not the expected one (- expected, + actual)
                - isLoading: true
                + isLoading: false
                + items[0]: 4
                """,
            ])
        #expect(failures.lines == [line + 1, line + 2])
    }

    @Test func aWholeStateIsComparedWhole() {
        let test = test(.on, Shop.loads)
        test.send(.load, newState: Shop.State(page: 1))
        test.receive(.loaded([10]), newState: Shop.State(page: 1, items: [10, 11]))
        test.finish()
        #expect(
            failures.messages == [
                """
                send(.load): the new state is not the expected one (- expected, + actual)
                - isLoading: false
                + isLoading: true
                """,
                """
                receive(.loaded([10])): the new state is not the expected one (- expected, + actual)
                - items[1]: 11
                """,
            ])
    }

    @Test func anotherEventThanTheExpectedOneIsShownWithWhatItChanged() {
        let test = test(.on, Shop.loads)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.receive(.loaded([11]))
        test.skipEvents()
        test.receive(.rated(1))
        test.finish()
        #expect(
            failures.messages == [
                """
                receive(.loaded([11])): it did not come, and nothing can come any more; instead
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                """,
                "receive(.rated(1)): it did not come, and nothing can come any more",
            ])
    }

    @Test func anEventBeforeTheExpectedOneIsNotPassedOverInSilence() {
        let test = test(.on, Shop.loads)
        for _ in 0..<2 { test.loop.emit(.load) }
        test.receive(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.receive(.load) {
            $0.page = 2
            $0.isLoading = true
        }
        test.send(.ignored)
        test.finish()
        #expect(
            failures.messages == [
                """
                receive(.load): an event before it not asserted
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                """,
                """
                send(.ignored): an event before it not asserted
                  step 4: .loaded([20]) from run 2 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[1]: 20
                """,
                "send(.ignored): it was not handled",
            ])
    }

    @Test func eventsCanBeReceivedByAPredicate() {
        let test = test(.on, Shop.loads)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.receive(where: { $0 == .rated(1) })
        test.receive(where: { $0 != .load }) {
            $0.isLoading = false
            $0.items = [10]
        }
        test.finish()
        #expect(
            failures.messages == [
                """
                receive(where:): it did not come, and nothing can come any more; instead
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                """
            ])
    }

    // MARK: - Events that make no new state

    @Test func anEventThatIsHandledThoughItShouldNotIsShownWithWhatItChanged() {
        let test = test(
            .on, .onEvent("echo", where: { _, event in event == .load }, effect: { _, _ in .ignored }))
        test.sendUnhandled(.rate(1))
        test.sendUnhandled(.broken)
        test.sendFailing(.ignored)
        test.sendFailing(.broken) { $0 as? Shop.Failure == Shop.Failure(code: 8) }
        test.send(.broken)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.receiveUnhandled(.ignored)
        test.finish()
        #expect(
            failures.messages == [
                """
                sendUnhandled(.rate(1)): it was handled
                - note: nil
                + note: "rating 1"
                """,
                "sendUnhandled(.broken): the reducer failed: Failure(code: 7)",
                "sendFailing(.ignored): it was not handled",
                "sendFailing(.broken): the reducer failed: Failure(code: 7), which is not the expected error",
                "send(.broken): the reducer failed: Failure(code: 7)",
            ])
    }

    @Test func aFaultHasToBeExpected() {
        let test = test(
            .off, .onState("broken", where: { $0.page == 1 }, effect: { _ in throw Shop.Failure() }),
            .onState(
                "choosy", where: { if $0.page == 2 { throw Shop.Failure() } else { false } },
                effect: { _ in nil }))
        test.expectFault()
        test.send(.load)
        test.expectFault { $0.source.feedback == "broken" }
        test.expectFault()
        test.send(.load)
        test.expectFault { $0.source.feedback == "broken" }
        test.finish()
        #expect(
            failures.messages == [
                "expectFault(): there was none",
                "expectFault(): there was none",
                """
                expectFault(): others came
                  the trigger of `choosy`: Failure(code: 7)
                """,
                """
                finish(): a fault not expected
                  the trigger of `choosy`: Failure(code: 7)
                """,
            ])
    }

    // MARK: - Other states

    @Test func statesWithoutEqualityAreComparedByAClosure() {
        struct Plain: Sendable {
            var count = 0
            var visits = 0
        }
        let reducer = Reducer<Plain, Int> { (state: inout Plain, event: Int) -> Bool in
            state.count += event
            state.visits += 1
            return true
        }
        let test = TestLoop(
            Spin(initialState: Plain(), reducer: reducer, feedbacks: []), isEqual: { $0.count == $1.count },
            report: failures.report)
        test.send(2) { $0.count = 2 }
        test.send(2) { $0.count = 3 }
        test.finish()
        #expect(
            failures.messages == [
                """
                send(2): the new state is not the expected one (- expected, + actual)
                - count: 3
                + count: 4
                - visits: 1
                + visits: 2
                """
            ])
    }

    @Test func furtherObserversHearEverything() {
        let recorder = Recorder<Shop.State, Shop.Event>()
        let test = TestLoop(Shop.spin(), observers: [recorder])
        test.send(.rate(1)) { $0.note = "rating 1" }
        test.finish()
        #expect(recorder.recording?.entries.map(\.event) == [.rate(1)])
    }
}
