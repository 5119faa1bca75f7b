import Control
import HostLoop
import Journal
import Records

// What clients hear of while the journal grows, and its end.
extension RecordedApp {
    func beginActivity(of client: Int, _ watch: ControlWatch) throws(ControlFault) {
        let filter = try StepFilter(watch.filter)
        _ = try loops(named: watch.loop)
        shared.withLock { $0.watches[client] = Watch(watch: watch, filter: filter) }
    }

    func endActivity(of client: Int) { shared.withLock { $0.watches[client] = nil } }

    var hasActivity: Bool { shared.withLock { $0.hasActivity } }

    func takeActivity(
        of client: Int, most: Int, isFresh: Bool
    ) -> (lines: [String], skipped: Int, isMore: Bool) {
        let taken = shared.withLock { shared in
            shared.hasActivity = false
            return shared.watches[client]?.queue.take(most: most, isFresh: isFresh)
        }
        guard let taken else { return ([], 0, false) }
        return (taken.items.map { Self.line($0).json }, taken.skipped, taken.isMore)
    }

    private static func line(_ item: Watch.Item) -> Value {
        switch item {
        case .step(let step): return .record([("step", step.json)])
        case .damage(let damage):
            let log: [(String, Value)] = [
                ("time", .string(JournalTime.universal(JournalTime.now))), ("level", .string("error")),
                ("text", .string("the journal cannot be read any further: \(damage)")),
            ]
            return .record([("log", .record(log))])
        }
    }

    func follow(loop: Int) {
        shared.withLock { shared in
            shared.followed[loop, default: 0] += 1
            shared.changed.insert(loop)
        }
        bell.ring()
    }

    func unfollow(loop: Int) { shared.withLock { $0.followed[loop, default: 1] -= 1 } }

    func takeStates() -> [ControlState] {
        shared.withLock { shared in
            let wanted = shared.changed.filter { shared.followed[$0, default: 0] > 0 }
            shared.changed = []
            return wanted.sorted().compactMap { loop in
                shared.end.state.lastState(of: loop).map {
                    ControlState(
                        loop: loop, step: $0.step, line: Redaction.redacted(Self.json($0).json))
                }
            }
        }
    }

    func state(
        of place: ControlRequest.Place, _ page: ControlRequest.Page,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) {
        do throws(ControlFault) {
            _ = try key(of: place)
            let indices = try loops(named: place.loop)
            let states = shared.withLock { shared in
                indices.compactMap { shared.end.state.lastState(of: $0) }.map(Self.json)
            }
            answer(.success(.record([("ok", .bool(true)), ("states", .list(states))])))
        } catch { answer(.failure(error)) }
    }

    func counters(loop: String?) throws(ControlFault) -> Value {
        .record([("ok", .bool(true)), ("counters", .list(try allCounters(loop: loop)))])
    }

    /// A journal counts the steps only.
    func allCounters(loop name: String?) throws(ControlFault) -> [Value] {
        let indices = try loops(named: name)
        return shared.withLock { shared in
            let state = shared.end.state
            var lines = indices.map { index in
                Value.record([
                    ("loop", .string(state.epoch?.schema.loops[index].name ?? "")),
                    ("steps", .int(Int64(clamping: state.loops[index].step))),
                ])
            }
            if name == nil {
                let steps = state.loops.reduce(0) { $0 + $1.step }
                let position = Value.int(Int64(clamping: state.next - 1))
                lines.append(
                    .record([
                        ("app", .string(file)), ("steps", .int(Int64(clamping: steps))),
                        (
                            "journal",
                            .record([
                                ("file", .string(file)), ("position", position), ("durable", position),
                                ("broken", .bool(shared.end.damage != nil)),
                            ])
                        ),
                    ]))
            }
            return lines
        }
    }

    /// The plugins of the last process.
    var plugins: [Value] {
        let plugins = shared.withLock { $0.end.state.epoch?.plugins ?? [] }
        return plugins.map { plugin in
            .record([
                ("plugin", .string(plugin.name)), ("version", .string(plugin.version)),
                ("hash", .string(plugin.hash)),
            ])
        }
    }

    /// The runs that have not ended.
    func runs(of name: String?) throws(ControlFault) -> [Value] {
        let indices = try loops(named: name)
        return shared.withLock { shared in
            guard let schema = shared.end.state.epoch?.schema else { return [] }
            return indices.flatMap { index in
                zip(schema.loops[index].feedbacks, shared.end.state.loops[index].feedbacks).flatMap {
                    feedback, past in
                    past.open.map { run in
                        Value.record([
                            ("loop", .string(schema.loops[index].name)),
                            ("feedback", .string(feedback.name)),
                            ("number", .int(Int64(clamping: run.number))),
                        ])
                    }
                }
            }
        }
    }
}

extension JournalState {
    /// The state of a loop; nil if it has not begun.
    fileprivate func lastState(of loop: Int) -> RunPast.State? {
        guard loops.indices.contains(loop), loops[loop].hasBegun, let schema = epoch?.schema else {
            return nil
        }
        return (schema.loops[loop].name, loops[loop].step, loops[loop].state)
    }
}
