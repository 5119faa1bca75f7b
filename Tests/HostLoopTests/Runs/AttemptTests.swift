import HostLoop
import HostLoopTesting
import Testing

/// Modifiers that an effect applies to parts of its own run.
struct AttemptTests {
    private struct Failure: Error {}

    private func loop(
        _ clock: ManualClock = ManualClock(),
        _ effect: @escaping @Sendable (Run<Int>) throws -> EffectStatus
    ) -> Loop<[Int], Int> {
        let feedback = Feedback<[Int], Int>.onState("try", where: { $0.isEmpty }, strategy: .skipWhileRunning)
        {
            try effect($1)
        }
        return Spin(
            initialState: [], reducer: Reducer { (state: [Int], event: Int) -> [Int] in state + [event] },
            feedbacks: [feedback], executor: .caller,
            clock: clock
        ).start()
    }

    @Test func catch_emitsSeveralEvents_andTheRunFinishes() {
        let loop = loop { run in
            try run.catch({ _, run in run.emit(contentsOf: [1, 2]) == .queued }) { _ in throw Failure() }
        }
        #expect(loop.state == [1, 2])
        #expect(loop.counters.faults == 0 && loop.ended.running.isEmpty)
    }

    @Test func aCatchThatDeclinesTheFailure_keepsItAFault() {
        let loop = loop { run in try run.catch({ _, _ in false }) { _ in throw Failure() } }
        #expect(loop.state == [] && loop.counters.faults == 1 && loop.ended.running.isEmpty)
    }

    @Test func catchAroundRetryAroundTimeout_getsOnlyTheLastFailure() {
        let clock = ManualClock()
        let loop = loop(clock) { run in
            try run.catch({ error, run in
                run.emit((error as? EffectTimeout)?.limit == .seconds(2) ? 7 : 0)
                return true
            }) { run in
                try run.retry(2) { run in try run.timeout(after: .seconds(2)) { _ in .pending } }
            }
        }
        for expected in [[], [], [7]] {
            clock.advance(by: .seconds(2))
            #expect(loop.state == expected)
        }
        #expect(loop.counters.faults == 0 && loop.ended.running.isEmpty && clock.timerCount == 0)
    }

    @Test func anAttemptThatIsOver_cannotEmit() {
        let clock = ManualClock()
        let first = Box<Run<Int>?>(nil)
        let loop = loop(clock) { run in
            try run.retry(1) { run in
                try run.timeout(after: .seconds(1)) { run in
                    guard first.value == nil else {
                        run.emit(2)
                        return .finished
                    }
                    first.value = run
                    return .pending
                }
            }
        }
        clock.advance(by: .seconds(1))
        #expect(loop.state == [2])
        #expect(first.value?.emit(1) == .cancelled)
        #expect(loop.state == [2] && loop.counters.late == 1)
    }
}
