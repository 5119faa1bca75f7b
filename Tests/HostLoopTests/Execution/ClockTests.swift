import HostLoop
import HostLoopTesting
import TestSupport
import Testing

@testable import struct HostLoop.TimerList

/// Rule 13.
@Suite struct ClockTests {
    @Test func theDurationOfAStepIsTakenFromTheInjectedClock() {
        let clock = ManualClock()
        let log = Counting.Log()
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                clock.advance(by: .milliseconds(event))
                state += event
                return true
            }, feedbacks: [], executor: .caller, clock: clock
        ).start(observers: [log])
        loop.emit(3)
        loop.emit(20)
        #expect(log.steps.map(\.duration) == [.milliseconds(3), .milliseconds(20)])
    }

    @Test func aSourceOfTicksRunsOnAManualClock() {
        let clock = ManualClock()
        let ticks = Feedback<Int, Int>.always("ticks") { _, run in
            let next = Box<Cancellation?>(nil)
            @Sendable func tick() {
                run.emit(1)
                next.value = clock.schedule(at: clock.now.advanced(by: .seconds(5)), tick)
            }
            next.value = clock.schedule(at: clock.now.advanced(by: .seconds(5)), tick)
            run.onCancel {
                next.value?.cancel()
                run.finish()
            }
            return .pending
        }
        let loop = Counting.spin(clock: clock, ticks).start()
        clock.advance(by: .seconds(4))
        #expect(loop.state == 0)
        clock.advance(by: .seconds(12))
        #expect(loop.state == 3)
        loop.stop()
        clock.advance(by: .seconds(60))
        #expect(loop.state == 3)
    }

    @Test func timersOfTheContinuousClockComeInTheOrderOfTheirInstants() async {
        let clock = ContinuousLoopClock()
        let order = Box<[Int]>([])
        let start = clock.now
        await withCheckedContinuation { continuation in
            // Actions come one at a time: none of these before all are scheduled.
            _ = clock.schedule(at: start) {
                for (number, delay) in [(2, 8), (0, 2), (3, 12), (1, 5), (4, 12)] {
                    _ = clock.schedule(at: start.advanced(by: .milliseconds(delay))) {
                        order.change { $0.append(number) }
                        if number == 4 { continuation.resume() }
                    }
                }
                clock.schedule(at: start.advanced(by: .milliseconds(4))) {
                    order.change { $0.append(9) }
                }.cancel()
            }
        }
        #expect(order.value == [0, 1, 2, 3, 4])
        #expect(start.duration(to: clock.now) >= .milliseconds(12))
    }

    @Test func anActionOfTheContinuousClockIsNeverCalledInsideSchedule() async {
        let clock = ContinuousLoopClock()
        let isScheduling = Box(true)
        let wasInside = await withCheckedContinuation { continuation in
            // The lock is held while `schedule` is called, so an action inside it would never get the value.
            isScheduling.change { value in
                _ = clock.schedule(at: LoopInstant(nanoseconds: .min)) {
                    continuation.resume(returning: isScheduling.value)
                }
                value = false
            }
        }
        #expect(!wasInside)
    }

    @Test(arguments: 0..<20)
    func timersComeOutSortedWhateverIsAddedAndRemoved(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var timers = TimerList()
        var model: [(instant: Int64, ticket: UInt64)] = []
        var now: Int64 = 0
        for _ in 0..<500 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let instant = now + Int64.random(in: -5..<50, using: &random)
                model.append((instant, timers.add(at: LoopInstant(nanoseconds: instant)) {}))
            case 2:
                guard let gone = model.randomElement(using: &random) else { continue }
                timers.remove(gone.ticket)
                model.removeAll { $0.ticket == gone.ticket }
            default:
                now += Int64.random(in: 0..<10, using: &random)
                let due = model.filter { $0.instant <= now }.count
                for _ in 0..<due {
                    let first = model.min { ($0.instant, $0.ticket) < ($1.instant, $1.ticket) }
                    #expect(timers.next?.nanoseconds == first?.instant)
                    #expect(timers.takeDue(at: LoopInstant(nanoseconds: now)) != nil)
                    model.removeAll { $0.ticket == first?.ticket }
                }
                #expect(timers.takeDue(at: LoopInstant(nanoseconds: now)) == nil)
            }
        }
    }

    @Test func instantsStayWithinTheirRange() {
        let instant = LoopInstant(nanoseconds: 1_500_000_000)
        #expect(instant.advanced(by: .milliseconds(-250)).nanoseconds == 1_250_000_000)
        #expect(instant.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(instant.advanced(by: .seconds(Int64.min)).nanoseconds == .min)
        #expect(
            LoopInstant(nanoseconds: .min).duration(to: LoopInstant(nanoseconds: .max)) == .nanoseconds(
                Int64.max) * 2 + .nanoseconds(1))
    }
}
