import Dispatch
import HostLoop
import HostLoopTesting
import Testing

@Suite struct ManualClockTests {
    /// What was called, and at which time.
    private final class Calls: Sendable {
        private let calls = Lock<[String]>([])
        let clock = ManualClock()

        var all: [String] { calls.withLock { $0 } }

        func note(_ name: String) {
            let line = "\(name) at \(clock.now.nanoseconds)"
            calls.withLock { $0.append(line) }
        }

        @discardableResult
        func schedule(
            _ name: String, at nanoseconds: Int64, then action: @escaping @Sendable () -> Void = {}
        ) -> Cancellation {
            clock.schedule(at: LoopInstant(nanoseconds: nanoseconds)) {
                self.note(name)
                action()
            }
        }
    }

    @Test func actionsAreCalledInTheOrderOfTheirInstantsEachAtItsOwnTime() {
        let calls = Calls()
        calls.schedule("c", at: 30)
        calls.schedule("a", at: 10)
        calls.schedule("b", at: 20)
        calls.clock.advance(by: .nanoseconds(25))
        #expect(calls.all == ["a at 10", "b at 20"])
        #expect(calls.clock.now.nanoseconds == 25)
        calls.clock.advance(by: .nanoseconds(5))
        #expect(calls.all == ["a at 10", "b at 20", "c at 30"])
    }

    @Test func actionsOfOneInstantAreCalledInTheOrderOfScheduling() {
        let calls = Calls()
        for name in ["a", "b", "c", "d", "e"] { calls.schedule(name, at: 7) }
        calls.clock.advance(by: .nanoseconds(7))
        #expect(calls.all == ["a at 7", "b at 7", "c at 7", "d at 7", "e at 7"])
    }

    @Test func whatAnActionSchedulesWithinTheTimeThatPassesIsCalledToo() {
        let calls = Calls()
        calls.schedule("first", at: 10) {
            calls.schedule("in time", at: 15)
            calls.schedule("too late", at: 31)
        }
        calls.schedule("second", at: 20)
        calls.clock.advance(by: .nanoseconds(30))
        #expect(calls.all == ["first at 10", "in time at 15", "second at 20"])
        #expect(calls.clock.next == LoopInstant(nanoseconds: 31))
    }

    @Test func anActionThatIsOverdueWaitsForTheNextAdvance() {
        let calls = Calls()
        calls.clock.advance(to: LoopInstant(nanoseconds: 100))
        calls.schedule("overdue", at: 40)
        #expect(calls.all == [])
        calls.clock.advance(by: .zero)
        #expect(calls.all == ["overdue at 100"])
    }

    @Test func advancingToAnInstantThatIsPastLeavesTheTime() {
        let clock = ManualClock()
        clock.advance(to: LoopInstant(nanoseconds: 100))
        clock.advance(to: LoopInstant(nanoseconds: 40))
        #expect(clock.now.nanoseconds == 100)
    }

    @Test func whatIsTakenBackIsNotCalled() {
        let calls = Calls()
        let second = calls.schedule("second", at: 20)
        calls.schedule("first", at: 10) { second.cancel() }
        #expect(calls.clock.timerCount == 2)
        calls.clock.advance(by: .nanoseconds(30))
        second.cancel()
        #expect(calls.all == ["first at 10"])
        #expect(calls.clock.timerCount == 0)
        #expect(calls.clock.next == nil)
    }

    @Test func timeThatPassesWithinAnActionMakesTheNextOnesLate() {
        let calls = Calls()
        calls.schedule("slow", at: 10) {
            calls.clock.advance(by: .nanoseconds(15))
            calls.note("end of slow")
        }
        calls.schedule("late", at: 20)
        calls.schedule("in time", at: 40)
        calls.clock.advance(by: .nanoseconds(20))
        #expect(calls.all == ["slow at 10", "end of slow at 25", "late at 25"])
        #expect(calls.clock.now.nanoseconds == 25)
    }

    @Test func aSecondThreadThatAdvancesLeavesTheActionsToTheFirst() {
        let calls = Calls()
        let thread = Lock<[Bool]>([])
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        calls.schedule("first", at: 10) {
            began.signal()
            goOn.wait()
        }
        let owner = DispatchSpecificKey<Bool>()
        calls.schedule("second", at: 50) {
            thread.withLock { $0.append(DispatchQueue.getSpecific(key: owner) ?? false) }
        }
        let queue = DispatchQueue(label: "first")
        queue.setSpecific(key: owner, value: true)
        let done = DispatchGroup()
        queue.async(group: done) { calls.clock.advance(by: .nanoseconds(10)) }
        began.wait()
        calls.clock.advance(by: .nanoseconds(50))
        #expect(calls.all == ["first at 10"])
        goOn.signal()
        done.wait()
        #expect(calls.all == ["first at 10", "second at 60"])
        #expect(thread.withLock { $0 } == [true])
    }

    @Test func manyThreadsLoseNoActionAndNoOrder() {
        let calls = Calls()
        for instant in 0..<200 { calls.schedule("\(instant)", at: Int64(instant) * 10) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<250 {
                calls.clock.advance(to: LoopInstant(nanoseconds: Int64(round * 8 + thread)))
            }
        }
        #expect(calls.clock.now.nanoseconds == 1999)
        #expect(calls.all.map { String($0.prefix { $0 != " " }) } == (0..<200).map { "\($0)" })
    }

    @Test func timeDoesNotGoBack() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ManualClock().advance(by: .nanoseconds(-1))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a clock cannot be advanced by a negative duration: time does not go back"))
    }
}
