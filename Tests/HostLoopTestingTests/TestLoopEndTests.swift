import Dispatch
import HostLoop
import HostLoopTesting
import Testing

/// The end of a test loop, what it lets pass, and the time it goes by.
@Suite struct TestLoopEndTests {
    private let failures = Failures()

    private func test(
        _ exhaustivity: Exhaustivity = .on, _ feedbacks: Feedback<Shop.State, Shop.Event>...
    ) -> TestLoop<Shop.State, Shop.Event> {
        TestLoop(
            Spin(initialState: Shop.State(), reducer: Shop.reducer, feedbacks: feedbacks),
            exhaustivity: exhaustivity, report: failures.report)
    }

    // MARK: - The end

    @Test func theEndListsWhatWasNotAsserted() {
        let test = test(
            .on, Shop.loads,
            .onState("fuse", where: { !$0.items.isEmpty }, effect: { _ in .broken }),
            .onState("echo", where: { !$0.items.isEmpty }, effect: { _ in .ignored }),
            .onState("", where: { $0.page == 1 }, effect: { _ in throw Shop.Failure(code: 1) }))
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.finish()
        #expect(
            failures.messages == [
                """
                finish(): 3 events not asserted
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                  the reducer failed: Failure(code: 7)
                  not handled: .ignored from run 1 of `echo`
                """,
                """
                finish(): 2 faults not expected
                  run 1 of feedback 3: Failure(code: 1)
                  run 2 of feedback 3: Failure(code: 1)
                """,
            ])
    }

    @Test func anEffectThatStillRunsIsNamedWithTheEventThatStartedIt() {
        let runs = Lock<[Run<Shop.Event>]>([])
        let waits = Feedback<Shop.State, Shop.Event>.onEvent(
            "rate",
            where: { _, event in event != .load },
            run: { _, _, run in
                runs.withLock { $0.append(run) }
                return .pending
            })
        let test = test(.on, .always("source") { _, _ in .pending }, waits)
        test.send(.rate(1)) { $0.note = "rating 1" }
        test.send(.rate(2)) { $0.note = "rating 2" }
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        // The second rating waited for the first, and begins long after its event.
        runs.withLock { $0[0] }.finish()
        test.finish()
        #expect(
            failures.messages == [
                """
                finish(): 2 effects still run
                  run 1 of `source`, started by the initial state
                  run 2 of `rate`, started by .rate(2)
                """
            ])
    }

    @Test func effectsThatMayContinueAreNotReported() {
        let test = test(.on, Shop.rates)
        test.send(.rate(1)) { $0.note = "rating 1" }
        test.skipEffects()
        test.finish()
        #expect(failures.messages == [])
    }

    @Test func eventsThatWereSkippedCountAsAsserted() {
        let test = test(.on, Shop.loads)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.skipEvents()
        #expect(test.state == Shop.State(page: 1, items: [10]))
        test.finish()
        #expect(failures.messages == [])
    }

    @Test func aTestLoopThatIsReleasedBeforeItsEndIsReported() {
        _ = test()
        _ = test(.off)
        #expect(failures.messages == ["a test loop was released before `finish()`"])
    }

    @Test func aLoopThatHasStoppedTakesNothing() {
        let test = TestLoop(
            Spin(
                initialState: Shop.State(), reducer: Shop.reducer, feedbacks: [Shop.loads],
                until: { $0.page == 1 }), report: failures.report)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.send(.load)
        test.receive(.loaded([10]))
        test.finish()
        #expect(
            failures.messages == [
                "send(.load): the loop did not take it: .stopped",
                "receive(.loaded([10])): it did not come, and nothing can come any more",
            ])
    }

    // MARK: - Not exhaustive

    @Test func withoutExhaustivityOnlyWhatIsNamedIsCompared() {
        let test = test(.off, Shop.loads, Shop.rates)
        test.send(.load) { $0.page = 1 }
        test.loop.emit(.load)
        test.loop.emit(.rate(3))
        test.receive(.loaded([20])) { $0.page = 2 }
        test.receive(.rate(3)) { $0.note = "rating 4" }
        test.send(.load)
        test.finish()
        #expect(
            failures.messages == [
                """
                receive(.rate(3)): the new state is not the expected one (- expected, + actual)
                - note: "rating 4"
                + note: "rating 3"
                """
            ])
    }

    @Test func exhaustivityCanBeChangedOnTheWay() {
        let test = test(.off, Shop.loads)
        test.send(.load)
        test.exhaustivity = .on
        test.finish()
        #expect(
            failures.messages == [
                """
                finish(): an event not asserted
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                """
            ])
    }

    // MARK: - Time

    @Test func timersPassWithTheClockOfTheTest() {
        let test = test(.on, Shop.loadsLater)
        test.send(.load) {
            $0.page = 1
            $0.isLoading = true
        }
        test.clock.advance(by: .milliseconds(400))
        test.receive(.loaded([10]))
        test.clock.advance(by: .milliseconds(600))
        test.receive(.loaded([10])) {
            $0.isLoading = false
            $0.items = [10]
        }
        test.finish()
        #expect(
            failures.messages == [
                """
                receive(.loaded([10])): it did not come
                still running
                  run 1 of `load`, started by .load
                the clock's next timer is due in 0.6 seconds
                """
            ])
    }
}
