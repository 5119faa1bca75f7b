import Glibc
import HostLoop
import Synchronization
import TestSupport
import Testing

/// Loops that are parked, and follow each other, while threads perform events on them.
@Suite(.timeLimit(.minutes(10))) final class SuccessionPerformTests: Sendable {
    private static let sources = 4

    struct Event: Sendable {
        let source: Int
        let number: Int
    }

    /// What the events of each source add up to: an event that is lost, or comes twice, shows.
    struct Sums: Sendable, Equatable {
        private var counts = Array(repeating: 0, count: sources)
        private var numbers = Array(repeating: 0, count: sources)

        var count: Int { counts.reduce(0, +) }

        mutating func add(_ event: Event) {
            counts[event.source] += 1
            numbers[event.source] += event.number
        }
    }

    /// Has the loop tell of each step.
    private final class Observer: LoopObserver {
        typealias State = Sums
        typealias Event = SuccessionPerformTests.Event
    }

    private static let rounds = 60

    private let seed = UInt64.random(in: 0 ..< .max)
    private let queued = Box(Sums())
    /// The loop that no other one has followed yet.
    private let current = Box<Loop<Sums, Event>?>(nil)
    /// Up to so many events come of each source: a loop whose events are performed without a pause would never rest.
    private let allowance = Atomic(0)
    private let running = Atomic(sources)

    private func spin(from state: Sums, _ mailbox: MailboxCapacity) -> Spin<Sums, Event> {
        Spin(
            initialState: state,
            reducer: Reducer { (state: inout Sums, event: Event) -> Bool in
                state.add(event)
                return true
            }, feedbacks: [.onState { _ in nil }], mailbox: mailbox)
    }

    /// Performs and emits events, on the first loop and on the one that is there.
    private func drive(_ source: Int, _ first: Loop<Sums, Event>) {
        var random = SeededGenerator(seed: seed &+ UInt64(source))
        for number in 1...Self.rounds * 20 {
            while allowance.load(ordering: .relaxed) < number { sched_yield() }
            let event = Event(source: source, number: number)
            let loop = Bool.random(using: &random) ? current.value ?? first : first
            let result =
                switch random.next() % 4 {
                case 0: loop.emit(event)
                case 1: loop.perform(event)
                case 2: loop.emitter.perform(event)
                default: loop.perform([event])
                }
            if result == .queued { queued.change { $0.add(event) } }
        }
        running.subtract(1, ordering: .releasing)
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(64)], [false, true])
    func eachPerformedEventIsReducedOnceWhicheverLoopTakesIt(mailbox: MailboxCapacity, isObserved: Bool) async
    {
        let observers = isObserved ? [Observer()] : []
        let first = spin(from: Sums(), mailbox).start(observers: observers)
        for source in 0..<Self.sources { OtherThread.start { [self] in drive(source, first) } }
        var random = SeededGenerator(seed: seed &- 1)
        var loop = first
        for round in 1...Self.rounds {
            allowance.store(round * 20, ordering: .relaxed)
            await Self.park(loop)
            if Bool.random(using: &random) {
                let (next, cancel) = spin(from: loop.state, mailbox).loop(
                    observers: observers, inPlaceOf: loop, LoopSuccession(feedbacks: [0: 0]) { $0 })
                cancel()
                current.value = next
                loop = next
            }
            loop.unpark()
        }
        await waitUntil { running.load(ordering: .acquiring) == 0 }
        await loop.rest()
        #expect(loop.state == queued.value, "seed \(seed)")
        #expect(loop.counters.steps == UInt64(queued.value.count), "seed \(seed)")
        #expect(loop.counters.refused == 0, "seed \(seed)")
        #expect(loop.counters.discarded == 0, "seed \(seed)")
        current.value = nil
    }

    private static func park(_ loop: Loop<Sums, Event>) async {
        await withCheckedContinuation { continuation in
            #expect(loop.park { _ in continuation.resume() })
        }
    }
}
