import Testing

@testable import HostLoop

/// The queue alone: bursts that are one entry, and events that are requeued.
@Suite struct EventQueueTests {
    private let burst = EventQueue<Int>.separateLimit + 3

    private func takeAll(_ queue: inout EventQueue<Int>) -> [Int] {
        var events: [Int] = []
        while let taken = queue.take() { events.append(taken.event) }
        return events
    }

    @Test func aBurstIsTakenInOrderBetweenItsNeighbours() {
        var queue = EventQueue<Int>()
        _ = queue.append(-1, feedback: -1, run: 0)
        queue.append(contentsOf: ContiguousArray(0..<burst))
        _ = queue.append(-2, feedback: -1, run: 0)
        let events = takeAll(&queue)
        #expect(events == [-1] + Array(0..<burst) + [-2])
        #expect(queue.isEmpty)
    }

    @Test(arguments: [true, false])
    func everyEventOfABurstMayBeRequeued(hasFollower: Bool) throws {
        var queue = EventQueue<Int>()
        queue.append(contentsOf: ContiguousArray(0..<burst))
        if hasFollower { _ = queue.append(burst, feedback: 7, run: 9) }
        for expected in 0..<burst + (hasFollower ? 1 : 0) {
            for _ in 0..<2 {
                let next = queue.take()
                let taken = try #require(next)
                #expect(taken.event == expected)
                let position = queue.requeue(taken)
                #expect(position == queue.head)
            }
            let next = queue.take()
            let taken = try #require(next)
            #expect(taken.event == expected)
            #expect(taken.feedback == (expected == burst ? 7 : -1))
            #expect(taken.run == (expected == burst ? 9 : 0))
        }
        #expect(queue.isEmpty)
    }

    @Test func aRequeuedEventIsDiscardedWithTheRest() throws {
        for taken in [1, 2, burst] {
            var queue = EventQueue<Int>()
            queue.append(contentsOf: ContiguousArray(0..<burst))
            var last: EventQueue<Int>.Taken?
            for _ in 0..<taken { last = queue.take() }
            _ = queue.requeue(try #require(last))
            let discarded = queue.discard()
            #expect(discarded == burst - taken + 1)
            #expect(queue.isEmpty)
        }
    }

    @Test func theBufferOfABurstServesTheNextUntilTheQueueIsTrimmed() {
        var queue = EventQueue<Int>()
        queue.spare = ContiguousArray(0..<burst)
        queue.appendSpare()
        #expect(queue.spare.capacity == 0)
        let events = takeAll(&queue)
        #expect(events == Array(0..<burst))
        #expect(queue.spare.isEmpty)
        #expect(queue.spare.capacity >= burst)
        queue.trim(to: 64)
        #expect(queue.spare.capacity == 0)
    }

    @Test func fewEventsLeaveTheirBufferAtOnce() {
        var queue = EventQueue<Int>()
        queue.spare = [1, 2, 3]
        queue.appendSpare()
        #expect(queue.spare.isEmpty)
        #expect(queue.spare.capacity >= 3)
        let events = takeAll(&queue)
        #expect(events == [1, 2, 3])
    }
}
