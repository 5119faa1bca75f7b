import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// A watched loop that does more than can be kept: what is left out is counted, and the loop is seen again.
@Suite(.timeLimit(.minutes(10))) struct WatchBudgetTests {
    private static let counting = """
        [loops.main]
        state  = { n = 0 }
        events = { add = {}, divide = {} }
        on.add    = { set = { n = "state.n + 1" } }
        on.divide = { set = { n = "state.n / 0" } }

        """

    private func send(_ count: Int, to process: JournalProcess, _ world: JournalWorld) async throws {
        let payload = Record(world.manifest.loops[0].events[0].type)
        let before = try process.port.counters(ofLoop: 0).steps
        for _ in 0..<count {
            #expect(try process.port.send(event: 0, payload: payload, toLoop: 0) == .queued)
        }
        try await waitUntil { try process.port.counters(ofLoop: 0).steps == before + UInt64(count) }
    }

    private func number(_ state: Record) -> String { state.value.json }

    private static func external(_ counts: WatchedCounts?) -> Int {
        counts?.events[WatchedCounts.Origin.allCases.firstIndex(of: .external)!].handled ?? -1
    }

    @Test(arguments: [false, true])
    func `steps that are too many become a gap, and later ones are kept`(_ countsFromStart: Bool) async throws
    {
        let world = try JournalWorld(Self.counting)
        let process = try JournalProcess(world, world.store, countsFromStart: countsFromStart)
        await waitUntil { process.port.hasBegun }
        process.port.watch(loop: 0)
        var cursor = process.port.cursor(of: [0], [.steps, .faults])
        // The watch begins between two steps.
        try await send(1, to: process, world)
        await waitUntil { process.port.keptSteps(ofLoop: 0).count == 1 || countsFromStart }
        try await send(50_000, to: process, world)
        #expect(process.port.isBehind(cursor))
        // A fault is kept all the same.
        let divide = Record(world.manifest.loops[0].events[1].type)
        #expect(try process.port.send(event: 1, payload: divide, toLoop: 0) == .queued)
        try await waitUntil { try process.port.counters(ofLoop: 0).faults == 1 }

        var (lost, faults, seen, gaps) = (0, 0, [AppActivity](), [AppActivity]())
        await waitUntil {
            let new = process.port.activities(after: &cursor)
            lost += new.lost
            seen += new.kept.filter { $0.missedSteps == 0 && $0.kind == .steps }
            faults += new.kept.count { $0.kind == .faults }
            gaps += new.kept.filter { $0.missedSteps > 0 }
            return !gaps.isEmpty
        }
        #expect(!process.port.isBehind(cursor))
        #expect(faults == 1)
        let gap = try #require(gaps.first)
        #expect(gaps.count == 1 && lost + seen.count + Int(gap.missedSteps) == 50_001)
        // As many as the ring holds, of all that the budget allows. The gap may have taken the place of one.
        #expect((9_999...10_000).contains(seen.count) && gap.missedSteps > 15_000)
        guard case .gap(_, let until, let state?) = gap.content else { return }
        #expect(until == 50_001 && number(state) == #"{"n":50001}"#)

        try await send(3, to: process, world)
        var after: [AppActivity] = []
        await waitUntil {
            after += process.port.activities(after: &cursor).kept
            return after.count == 3
        }
        let steps = after.compactMap { activity in
            if case .step(let step, _) = activity.content { step.index } else { nil }
        }
        #expect(steps == [50_002, 50_003, 50_004])
        #expect(Self.external(process.port.watchedCounts(ofLoop: 0)) == 50_004)
        process.port.unwatch(loop: 0)
        _ = await process.killed(world.store)
    }

    @Test func `a loop that is paused twice without a step between has one gap`() {
        var watched = WatchedLoop(["read"])
        #expect(watched.resume(at: 5, []) == 0)
        #expect(watched.resume(at: 9, []) == 4)
        #expect(watched.resume(at: 9, []) == 0)
        #expect(watched.resume(at: 10, []) == 1)
    }

    @Test func `a reader hears of each step, also of gaps that another reader has caused`() async throws {
        let world = try JournalWorld(Self.counting)
        let process = try JournalProcess(world, world.store)
        await waitUntil { process.port.hasBegun }
        process.port.watch(loop: 0)
        var slow = process.port.cursor(of: [0], [.steps])
        var fast = slow
        for round in 1...3 {
            try await send(45_000, to: process, world)
            var isSeen = false
            await waitUntil {
                // The gap is replaced in the ring by what follows in the next round.
                isSeen = process.port.activities(after: &fast).kept.contains { $0.missedSteps > 0 } || isSeen
                return isSeen && !process.port.isBehind(fast)
            }
            #expect(isSeen, "round \(round)")
        }
        let all = process.port.activities(after: &slow)
        #expect(all.lost + all.kept.reduce(0) { $0 + Int(max(1, $1.missedSteps)) } == 135_000)
        #expect(process.port.activities(after: &slow).kept.isEmpty)
        process.port.unwatch(loop: 0)
        _ = await process.killed(world.store)
    }

    @Test func `the last state of a loop is known that stops while it is not observed`() async throws {
        let world = try JournalWorld(Self.counting + "until = \"state.n == 40000\"\n")
        let process = try JournalProcess(world, world.store)
        await waitUntil { process.port.hasBegun }
        process.port.watch(loop: 0)
        var cursor = process.port.cursor(of: [0], [.steps])
        try await send(40_000, to: process, world)
        _ = await process.run.finished()
        var gaps: [AppActivity] = []
        await waitUntil {
            gaps += process.port.activities(after: &cursor).kept.filter { $0.missedSteps > 0 }
            return !gaps.isEmpty
        }
        guard case .gap(let steps, let until, let state?) = gaps[0].content else { return }
        #expect(steps > 5_000 && until == 40_000 && number(state) == #"{"n":40000}"#)
        #expect(!process.port.isBehind(cursor))
        process.app.close()
    }

    @Test func `a watch that ends while the loop is not observed begins again as a new one`() async throws {
        let world = try JournalWorld(Self.counting)
        let process = try JournalProcess(world, world.store)
        await waitUntil { process.port.hasBegun }
        process.port.watch(loop: 0)
        try await send(40_000, to: process, world)
        process.port.unwatch(loop: 0)
        #expect(process.port.watchedCounts(ofLoop: 0) == nil && process.port.keptSteps(ofLoop: 0).isEmpty)

        process.port.watch(loop: 0)
        var cursor = process.port.cursor(of: [0], [.steps])
        #expect(!process.port.isBehind(cursor))
        try await send(2, to: process, world)
        await waitUntil { process.port.keptSteps(ofLoop: 0).count == 2 }
        #expect(process.port.activities(after: &cursor).kept.allSatisfy { $0.missedSteps == 0 })
        #expect(Self.external(process.port.watchedCounts(ofLoop: 0)) == 2)
        process.port.unwatch(loop: 0)
        _ = await process.killed(world.store)
    }
}
