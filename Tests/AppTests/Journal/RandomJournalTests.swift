import App
import HostLoop
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// Random apps with random events: each state that an app had is in its journal, and can be made again.
@Suite(.timeLimit(.minutes(10))) struct RandomJournalTests {
    /// The states of a run by loop and step, as JSON.
    private final class States: AppObserver {
        private let known = Lock<[String: [UInt64: String]]>([:])

        var states: [String: [UInt64: String]] { known.withLock { $0 } }

        func started(loop: String, key: LoopKey?, step: UInt64, state: Record) { note(loop, step, state) }
        func stepped(_ step: AppStep) { note(step.loop, step.index, step.after) }
        func faulted(_ fault: AppFault) {}

        private func note(_ loop: String, _ step: UInt64, _ state: Record) {
            let text = state.value.json
            known.withLock { $0[loop, default: [:]][step] = text }
        }
    }

    /// Runs the app of a world, sends it events, and waits until they are in the journal.
    private func run(
        _ world: JournalWorld, _ store: MemoryStore, events: Int, _ generator: inout SeededGenerator
    ) async throws -> [String: [UInt64: String]] {
        let (states, port) = (States(), AppPort(world.manifest, statesCame: {}))
        let app = try world.app(RecordedRun())
        defer { app.close() }
        let run = app.makeRun(observer: states, port: port, journal: try world.journal(store))
        run.start()
        await waitUntil { states.states.count == world.manifest.loops.count }
        for loop in world.manifest.loops.indices {
            let declared = world.manifest.loops[loop].events
            for _ in 0..<events {
                let event = generator.below(declared.count)
                let payload = generator.record(declared[event].type)
                _ = try port.send(event: event, payload: payload, toLoop: loop)
            }
        }
        for loop in world.manifest.loops.indices {
            await withCheckedContinuation { continuation in
                do {
                    let odd = world.manifest.loops[loop].events[2]
                    try port.send(event: 2, payload: Record(odd.type), toLoop: loop) { _ in
                        continuation.resume()
                    }
                } catch {
                    Issue.record("\(error)")
                    continuation.resume()
                }
            }
        }
        // A step is in the journal before the observer sees it, and may send a message.
        try await waitUntil {
            let (end, seen) = (try JournalReader(store).end().state, states.states)
            return end.messages.isEmpty
                && end.loops.allSatisfy { past in
                    past.isDelivered
                        && seen[world.manifest.loops[past.index].name]?.keys.max() == past.step
                }
        }
        run.stop()
        _ = await run.finished()
        return states.states
    }

    /// Compares each state with what the journal says at its step, and makes each step again.
    private func compare(_ world: JournalWorld, _ store: MemoryStore, _ states: [String: [UInt64: String]])
        throws
    {
        let reader = JournalReader(store)
        for (loop, steps) in states {
            for (step, state) in steps {
                let position = try #require(try reader.position(ofStep: step, of: loop), "\(loop)#\(step)")
                let past = try reader.point(upTo: position).state
                let index = try #require(past.index(ofLoop: loop))
                #expect(past.loops[index].step == step)
                #expect(past.loops[index].state.value.json == state, "\(loop)#\(step)")
            }
            #expect(try reader.position(ofStep: UInt64(steps.count), of: loop) == nil, "\(loop)")
        }
        var (replay, problems) = (JournalReplay(world.manifest), [String]())
        let end = try reader.all { placed, state in
            guard let step = replay.take(placed, state), let problem = step.problem else { return }
            problems.append("\(step.loop)#\(step.number): \(problem.message)")
        }
        #expect(problems == [] && end.damage == nil)
        #expect(replay.same == states.values.reduce(0) { $0 + $1.count - 1 })
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `the journal has the state of each step, and each step has the same result again`(_ seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let text = RandomApp(using: &generator).manifest
        let durable = ["off", "batched", "every-step"][generator.below(3)]
        let interval = durable == "every-step" ? "" : "\ninterval = \"1ms\""
        let world = try JournalWorld(
            text, journal: "durable = \"\(durable)\"\nsnapshot = \"4KiB\"\(interval)")
        var states = try await run(world, world.store, events: 40, &generator)
        try compare(world, world.store, states)
        // The process ends at any point, and another one continues.
        let last = try #require(try world.store.last()).number
        let store = world.store.reopened(upTo: 1 + UInt64(generator.below(Int(last))))
        for past in try JournalReader(store).end().state.loops {
            let name = world.manifest.loops[past.index].name
            states[name] = past.hasBegun ? states[name]?.filter { $0.key <= past.step } : [:]
        }
        for (loop, steps) in try await run(world, store, events: 20, &generator) {
            states[loop]?.merge(steps) { first, second in
                #expect(first == second, "\(loop) begins with another state")
                return first
            }
        }
        try compare(world, store, states)
    }
}
