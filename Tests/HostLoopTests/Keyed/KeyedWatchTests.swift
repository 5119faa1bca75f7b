import Synchronization
import TestSupport
import Testing

@testable import HostLoop

/// Loops by key that are observed while they do something.
@Suite(.timeLimit(.minutes(10))) struct KeyedWatchTests {
    private typealias Loops = KeyedLoops<Int, Int, Int>

    /// What the observers of all loops have heard, and how many of them there are.
    private final class Heard: Sendable {
        let lines = Lock<[String]>([])
        let observers = Atomic<Int>(0)
        /// Called once when an observer is released.
        let released = Lock<(@Sendable () -> Void)?>(nil)
        /// The runs that last.
        let runs = Lock<[Run<Int>]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private final class Observer: LoopObserver {
        let key: Int
        let heard: Heard
        init(_ key: Int, _ heard: Heard) {
            (self.key, self.heard) = (key, heard)
            heard.observers.add(1, ordering: .relaxed)
        }
        deinit {
            heard.observers.subtract(1, ordering: .relaxed)
            heard.released.withLock { $0.take() }?()
        }
        func started(_ state: Int) { heard.add("\(key) begins in \(state)") }
        func stepped(_ step: LoopStep<Int, Int>) { heard.add("\(key) #\(step.index) \(step.after)") }
        func effectStarted(_ run: EffectRun, by event: Int?) { heard.add("\(key) runs \(run.number)") }
        func effectEnded(_ run: EffectRun) { heard.add("\(key) ended \(run.number)") }
        func stopped(_ reason: StopReason) { heard.add("\(key) \(reason)") }
    }

    /// Loops that take events as their states. An event below 0 begins a run that lasts.
    private final class World: Sendable {
        let heard = Heard()
        let watch: KeyedWatch<Int, Int, Int>
        let loops: Loops
        let activity = KeyedActivity(woke: {}, rested: {})

        init() {
            let heard = heard
            watch = KeyedWatch { key, _ in Observer(key, heard) }
            let spin = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { state, event in
                    state = event
                    return true
                },
                feedbacks: [
                    Feedback.onEvent("last") { _, event, run in
                        guard event < 0 else { return .finished }
                        heard.runs.withLock { $0.append(run) }
                        return .pending
                    }
                ], until: { $0 == 99 }, executor: .serial("loops"))
            loops = Loops(
                spin, startingFrom: { _ in 0 }, limit: .max, keep: .zero, creates: { _ in true },
                observers: { _ in [] }, activity: activity, faulted: { _, _, _ in }, watch: watch)
        }

        /// Waits until no loop is awake.
        func rest() async { await waitUntil { self.activity.awakeCount == 0 } }
    }

    @Test func `An open watch sees each loop, and keeps no observer of one that rests`() async {
        let world = World()
        world.loops.emit(1, to: 5)
        await world.rest()
        world.watch.isOpen = true
        #expect(world.heard.all == [])
        world.loops.emit(2, to: 5)
        await world.rest()
        world.loops.emit(3, to: 6)
        await world.rest()
        #expect(
            world.heard.all == [
                "5 #2 2", "5 runs 2", "5 ended 2", "6 begins in 0", "6 #1 3", "6 runs 1", "6 ended 1",
            ])
        #expect(world.heard.observers.load(ordering: .relaxed) == 0)
        #expect(world.loops.core.instance(of: 5)?.loop.extras == nil)
        world.watch.isOpen = false
        world.loops.emit(4, to: 5)
        await world.rest()
        #expect(world.heard.all.count == 7)
    }

    @Test func `A loop whose effect runs keeps its observer, until it wakes after the end of the watch`()
        async throws
    {
        let world = World()
        world.watch.isOpen = true
        world.loops.emit(-1, to: 1)
        await world.rest()
        world.loops.emit(-1, to: 2)
        await world.rest()
        #expect(world.heard.observers.load(ordering: .relaxed) == 2)
        let runs = world.heard.runs.withLock { $0 }
        try #require(runs.count == 2)
        runs[0].finish()
        await waitUntil { world.heard.all.last == "1 ended 1" }
        await waitUntil { world.heard.observers.load(ordering: .relaxed) == 1 }
        world.watch.isOpen = false
        runs[1].finish()
        await waitUntil { world.heard.observers.load(ordering: .relaxed) == 0 }
        #expect(!world.heard.all.contains("2 ended 1"))
    }

    @Test func `A watch sees the end of a loop`() async {
        let world = World()
        world.loops.emit(1, to: 1)
        await world.rest()
        world.watch.isOpen = true
        world.loops.emit(99, to: 1)
        await waitUntil { world.loops.count == 0 && world.activity.awakeCount == 0 }
        #expect(world.heard.all == ["1 #2 99", "1 runs 2", "1 ended 2", "1 until"])
        #expect(world.heard.observers.load(ordering: .relaxed) == 0)
    }

    @Test func `A loop that gets an event while it is about to rest is observed again`() async {
        let world = World()
        world.watch.isOpen = true
        world.heard.released.withLock { $0 = { [loops = world.loops] in loops.emit(2, to: 1) } }
        world.loops.emit(1, to: 1)
        await waitUntil { world.loops.counters(of: 1)?.steps == 2 && world.activity.awakeCount == 0 }
        #expect(world.heard.all.filter { $0.contains("#") } == ["1 #1 1", "1 #2 2"])
        #expect(world.heard.observers.load(ordering: .relaxed) == 0)
    }

    @Test func `An open watch misses no step while threads emit`() async {
        let world = World()
        world.watch.isOpen = true
        let count = 20_000
        await withTaskGroup { group in
            for thread in 0..<3 {
                group.addTask {
                    for index in 1...count { world.loops.emit(index % 90, to: index % 3 + thread) }
                }
            }
        }
        await world.rest()
        let steps = world.heard.all.filter { $0.contains("#") }.map { $0.split(separator: " ").prefix(2) }
        #expect(steps.count == 3 * count && Set(steps).count == 3 * count)
        #expect(world.heard.observers.load(ordering: .relaxed) == 0)
    }

    /// Threads emit while the watch opens and closes: each step is seen at most once, and the loops lose nothing.
    @Test func `A watch opens and closes while threads emit`() async {
        let world = World()
        let count = 20_000
        await withTaskGroup { group in
            for thread in 0..<3 {
                group.addTask {
                    for index in 1...count { world.loops.emit(index % 90, to: index % 7 + thread) }
                }
            }
            group.addTask {
                for _ in 0..<2_000 {
                    world.watch.isOpen.toggle()
                    await Task.yield()
                }
            }
        }
        world.watch.isOpen = false
        await world.rest()
        let steps = world.heard.all.filter { $0.contains("#") }.map { $0.split(separator: " ").prefix(2) }
        #expect(Set(steps).count == steps.count)
        let total = (0..<9).reduce(0) { $0 + (world.loops.counters(of: $1)?.steps ?? 0) }
        #expect(total == UInt64(3 * count))
    }
}
