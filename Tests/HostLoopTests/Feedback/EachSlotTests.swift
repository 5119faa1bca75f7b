import Synchronization
import Testing

@testable import HostLoop

/// Rule 8, `onEach`: how many slots keys have, and what they cost.
@Suite struct EachSlotTests {
    /// How many slots keys have, asked where the loop runs.
    private func slots<State, Event>(of loop: Loop<State, Event>) async -> Int {
        await withCheckedContinuation { answer in
            let isAsked = loop.core.betweenSteps {
                answer.resume(returning: loop.core.extras?.keyed.count ?? 0)
            }
            precondition(isAsked, "a loop that has stopped is not asked")
        }
    }

    @Test func aKeyThatComesBackWaitsForItsCancelledCallAndOtherKeysDoNot() async {
        let (hasBegun, gate) = (Gate(), Gate())
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            executor: .pool,
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { ask, run in
                if ask.value == 0 {
                    hasBegun.open()
                    gate.pass()
                }
                run.emit(.heard("\(ask.key)\(ask.value)"))
                return .finished
            }.execute(on: .blocking)
        ).start(observers: [log])
        loop.emit(.ask(["a": 0]))
        await log.wait(for: "run each 1")
        hasBegun.pass()
        loop.emit(.ask([]))
        await log.wait(for: "cancel each 1")
        loop.emit(.ask(["b": 1]))
        await log.wait(for: "end each 2")
        // "b" did not take the slot in which the call of "a" executes.
        #expect(await slots(of: loop) == 2)
        loop.emit(.ask(["b": 1, "a": 1]))
        loop.emit(.ask(["b": 1, "a": 2]))
        await log.wait { $0.contains { $0.hasPrefix("step 6") } }
        #expect(loop.state.heard == ["b1"])
        gate.open()
        await log.wait { $0.contains { $0.hasPrefix("step 7 a2") } }
        // Only the newest of the waiting requests ran.
        #expect(loop.state.heard == ["b1", "a2"])
        #expect(log.lines("late") == ["late a0 of each 1"])
        #expect(log.lines("run each") == ["run each 1", "run each 2", "run each 3"])
        #expect(await slots(of: loop) == 2)
    }

    @Test func aSlotServesALaterKeyOnceTheCallInItHasReturned() async {
        let (hasBegun, gate) = (Gate(), Gate())
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            executor: .pool,
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { ask, run in
                if ask.value == 0 {
                    hasBegun.open()
                    gate.pass()
                }
                return .finished
            }.execute(on: .serial("effects", blocking: true))
        ).start(observers: [log])
        loop.emit(.ask(["a": 0]))
        hasBegun.pass()
        loop.emit(.ask([]))
        loop.emit(.ask(["b": 1]))
        await log.wait(for: "run each 2")
        #expect(await slots(of: loop) == 2)
        gate.open()
        // The executor is serial: the call of "a" returned before that of "b" began.
        await log.wait(for: "end each 2")
        loop.emit(.ask(["b": 1, "c": 1]))
        await log.wait(for: "end each 3")
        #expect(await slots(of: loop) == 2)
    }

    @Test func slotsAreAsManyAsThereWereKeysAtOnce() {
        let runs = RequestRuns()
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }, run: runs.start),
            .onEach("values", requests: { $0.values }) { .heard("\($0)\($1)") }
        ).start()
        for round in 0..<1000 {
            loop.emit(.ask(["a\(round)": round, "b\(round / 2)": round, "c": round]))
        }
        #expect(runs.names.count == 3000)
        #expect(loop.core.extras?.keyed.count == 3 + 3)
        loop.stop()
        #expect(loop.core.slots.first == nil && (loop.core.extras?.keyed.isEmpty ?? true))
        runs.finishAll()
        #expect(loop.ended.running.isEmpty)
    }

    /// Counts how often keys are hashed and requests are compared.
    private final class Tally: Sendable {
        let hashes = Atomic<Int>(0)
        let comparisons = Atomic<Int>(0)

        func take() -> (hashes: Int, comparisons: Int) {
            (hashes.exchange(0, ordering: .relaxed), comparisons.exchange(0, ordering: .relaxed))
        }
    }

    private struct Counted: Hashable {
        let number: Int
        let tally: Tally

        static func == (left: Counted, right: Counted) -> Bool {
            left.tally.comparisons.add(1, ordering: .relaxed)
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            tally.hashes.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test func tenThousandKeysCostInProportion() {
        let keys = 10_000
        let tally = Tally()
        let started = Box<[Int]>([])
        let cancelled = Box<[Int]>([])
        let loop = Counting.spin(
            .onEach(
                "each",
                requests: { state in (state..<state + keys).map { Counted(number: $0, tally: tally) } },
                key: { $0 }
            ) { request, run in
                started.change { $0.append(request.number) }
                run.onCancel {
                    cancelled.change { $0.append(request.number) }
                    run.finish()
                }
                return .pending
            }
        ).start()
        #expect(started.value == Array(0..<keys))
        #expect(tally.take().hashes < 10 * keys)
        loop.emit(1)
        #expect(started.value.last == keys)
        #expect(cancelled.value == [0])
        var counts = tally.take()
        #expect(counts.hashes < 2 * keys)
        #expect(counts.comparisons < 4 * keys)
        loop.emit(keys)
        #expect(started.value.count == 2 * keys + 1)
        #expect(cancelled.value == Array(0...keys))
        counts = tally.take()
        #expect(counts.hashes < 10 * keys)
        #expect(counts.comparisons < 10 * keys)
        #expect(loop.ended.running.count == keys)
        #expect(loop.core.extras?.keyed.count == keys)
        loop.stop()
        #expect(cancelled.value == Array(0...2 * keys))
        #expect(loop.ended.running.isEmpty)
    }
}
