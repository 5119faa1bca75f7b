import Dispatch
import HostLoop
import HostLoopTesting
import TestSupport
import Testing

@Suite struct TestLoopWaitingTests {
    private let failures = Failures()

    private func test(
        limit: TimeLimit = TimeLimit(.seconds(60)), _ exhaustivity: Exhaustivity = .on,
        _ feedbacks: Feedback<Shop.State, Shop.Event>...
    ) -> TestLoop<Shop.State, Shop.Event> {
        TestLoop(
            Spin(initialState: Shop.State(), reducer: Shop.reducer, feedbacks: feedbacks),
            isEqual: { $0 == $1 }, exhaustivity: exhaustivity, clock: ManualClock(), timeLimit: limit,
            observers: [], report: failures.report, location: TestLocation(#fileID, #filePath, #line, #column)
        )
    }

    private static let isLoading: @Sendable (inout Shop.State) -> Void = {
        $0.page += 1
        $0.isLoading = true
    }

    private static let hasLoaded: @Sendable (inout Shop.State) -> Void = {
        $0.isLoading = false
        $0.items.append($0.page * 10)
    }

    private let overAtOnce = TimeLimit(.seconds(5), on: ImpatientClock())

    @Test func receivingWaitsForWhatAnEffectElsewhereEmits() async {
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        let test = test(.on, Shop.loadsElsewhere { for await _ in stream { return } })
        test.send(.load, Self.isLoading)
        gate.yield()
        await test.receive(.loaded([10]), Self.hasLoaded)
        await test.finish()
        #expect(failures.messages == [])
    }

    @Test func theEndWaitsForEffectsElsewhere() async {
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        let waits = Feedback<Shop.State, Shop.Event>.onEvent(
            "rate", where: { _, event in event == .rate(1) },
            run: { _, _, run in
                Task {
                    for await _ in stream { break }
                    run.finish()
                }
                return .pending
            })
        let test = test(.on, waits)
        test.send(.rate(1)) { $0.note = "rating 1" }
        gate.yield()
        await test.finish()
        #expect(failures.messages == [])
    }

    @Test func effectsOnAnotherExecutorAreWaitedFor() async {
        let loads = Shop.loads.execute(on: .blocking)
        let broken = Feedback<Shop.State, Shop.Event>.onEvent(
            "broken", where: { _, event in event == .rate(1) }, effect: { _, _ in throw Shop.Failure() }
        ).execute(on: .pool)
        let test = test(.on, loads, broken)
        for page in 1...3 {
            test.send(.load, Self.isLoading)
            await test.receive(where: { $0 == .loaded([page * 10]) }, Self.hasLoaded)
        }
        test.send(.rate(1)) { $0.note = "rating 1" }
        await test.expectFault { $0.error as? Shop.Failure == Shop.Failure() }
        await test.expectFault()
        await test.finish()
        #expect(failures.messages == ["expectFault(): there was none"])
    }

    @Test func receivingFailsAtOnceWhenNothingCanCome() async {
        let test = test(.on, Shop.loads)
        test.send(.load, Self.isLoading)
        await test.receive(.rated(2))
        await test.receive(.loaded([10]), newState: Shop.State(page: 1, items: [10]))
        await test.receive(.rated(1))
        await test.receiveUnhandled(.rated(1))
        await test.finish()
        #expect(
            failures.messages == [
                """
                receive(.rated(2)): it did not come, and nothing can come any more; instead
                  step 2: .loaded([10]) from run 1 of `load`
                    - isLoading: true
                    + isLoading: false
                    + items[0]: 10
                """,
                "receive(.rated(1)): it did not come, and nothing can come any more",
                "receiveUnhandled(.rated(1)): it did not come, and nothing can come any more",
            ])
    }

    @Test func receivingGivesUpAtTheLimitAndNamesWhatRuns() async {
        let test = test(limit: overAtOnce, .on, Shop.loadsLater)
        test.send(.load, Self.isLoading)
        await test.receive(.loaded([10]))
        test.skipEffects()
        await test.finish()
        #expect(
            failures.messages == [
                """
                receive(.loaded([10])): it did not come within 5.0 seconds
                still running
                  run 1 of `load`, started by .load
                the clock's next timer is due in 1.0 seconds
                """
            ])
    }

    @Test func theEndGivesUpAtTheLimitAndNamesWhatRuns() async {
        let test = test(limit: overAtOnce, .on, Shop.rates)
        test.send(.rate(1)) { $0.note = "rating 1" }
        await test.finish()
        #expect(
            failures.messages == [
                """
                finish(): an effect still runs
                  run 1 of `rate`, started by .rate(1)
                """
            ])
    }

    @Test func withoutExhaustivityReceivingWaitsPastOtherEvents() async {
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        let test = test(
            .off, Shop.loadsElsewhere { for await _ in stream { return } },
            .onEvent("rate", where: { _, event in event == .load }, effect: { _, _ in .rated(5) }))
        test.send(.load)
        gate.yield()
        await test.receive(.loaded([10])) { $0.items = [10] }
        await test.finish()
        #expect(failures.messages == [])
    }

    @Test func sendingWaitsForTheThreadThatRunsTheLoop() {
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let test = test(
            .on,
            .onEvent(
                "slow", where: { _, event in event == .rate(1) },
                effect: { _, _ in
                    began.signal()
                    goOn.wait()
                    return nil
                }))
        let emitter = test.loop.emitter
        OtherThread.start { emitter.emit(.rate(1)) }
        began.wait()
        test.receive(.rate(1)) { $0.note = "rating 1" }
        OtherThread.start { goOn.signal() }
        test.send(.load, Self.isLoading)
        test.finish()
        #expect(failures.messages == [])
    }

    @Test func sendingGivesUpAtTheLimit() {
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchGroup()
        let test = test(
            limit: overAtOnce, .off,
            .onEvent(
                "slow", where: { _, event in event == .rate(1) },
                effect: { _, _ in
                    began.signal()
                    goOn.wait()
                    return nil
                }))
        let emitter = test.loop.emitter
        done.enter()
        OtherThread.start {
            emitter.emit(.rate(1))
            done.leave()
        }
        began.wait()
        test.send(.load)
        goOn.signal()
        done.wait()
        test.finish()
        #expect(
            failures.messages == [
                """
                send(.load): not taken within 5.0 seconds
                still running
                  run 1 of `slow`, started by .rate(1)
                """
            ])
    }

    @MainActor @Test func aTestOnTheMainActorMayChangeItsOwnVariables() async {
        let test = test(.on, Shop.loads.execute(on: .pool))
        var expected: [Int] = []
        test.send(.load, Self.isLoading)
        await test.receive(.loaded([10])) {
            $0.isLoading = false
            $0.items = [10]
            expected = $0.items
        }
        await test.finish()
        #expect(expected == [10])
        #expect(failures.messages == [])
    }

    @Test func failuresAreIssuesOfTheRunningTestUnlessSaidOtherwise() async {
        await withKnownIssue {
            let test = TestLoop(Shop.spin())
            test.send(.rate(1))
            await test.finish()
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                """
                send(.rate(1)): the new state is not the expected one (- expected, + actual)
                - note: nil
                + note: "rating 1"
                """
            ] && issue.sourceLocation?.line == #line - 9
        }
    }
}
