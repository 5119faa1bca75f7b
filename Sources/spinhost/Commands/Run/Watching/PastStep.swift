import App
import Journal
import Manifest
import Records

/// A step that a running app made, as its journal or its memory knows it.
struct PastStep {
    /// Nil for one whose position is not known.
    let position: UInt64?
    /// Nanoseconds since 1970-01-01T00:00:00Z; nil if it is not known.
    let time: Int64?
    /// The loop's name.
    let loop: String
    /// The key of the instance; nil for a loop without a key.
    let key: LoopKey?
    /// The number of the new state.
    let number: UInt64
    /// The event's name, and its fields.
    let event: String, payload: Record
    /// The states before and after it.
    let before: Record, after: Record
    /// The source of the event.
    let origin: String
    /// The run that emitted the event; nil if no run did, or it is not known.
    let run: UInt64?

    /// The step for programs: what it changed, and never the whole state.
    var json: Value { .record(fields) }

    private var fields: [(String, Value)] {
        var fields: [(String, Value)] = []
        if let position { fields.append(("position", .int(Int64(clamping: position)))) }
        fields.append(("loop", .string(loop)))
        if let key { fields.append(("key", key.value)) }
        fields.append(("step", .int(Int64(clamping: number))))
        if let time { fields.append(("time", .string(JournalTime.universal(time)))) }
        fields += [
            ("event", .string(event)), ("payload", payload.value),
            ("changed", StepLine.changedFields(from: before, to: after)), ("origin", .string(origin)),
        ]
        if let run { fields.append(("run", .int(Int64(clamping: run)))) }
        return fields
    }

    /// The step as a line of a recording, with its state.
    var recorded: Value {
        .record([
            ("loop", .string(loop)), ("step", .int(Int64(clamping: number))), ("event", .string(event)),
            ("payload", payload.value), ("state", after.value), ("origin", .string(origin)),
        ])
    }
}

extension PastStep {
    /// Nil for an entry that is no step.
    init?(_ placed: PlacedEntry, _ state: JournalState) {
        guard case .step(let step) = placed.entry, let schema = state.epoch?.schema.loops[step.loop] else {
            return nil
        }
        var run: UInt64?
        if case .run(_, let number) = step.origin, number > 0 { run = number }
        self.init(
            position: placed.position, time: placed.time, loop: schema.name, key: nil, number: step.step,
            event: schema.events[step.event].name, payload: step.payload, before: step.before,
            after: state.loops[step.loop].state, origin: JournalLine.origin(step.origin, schema), run: run)
    }

    /// Nil for an activity that is no step.
    ///
    /// - Parameter hasPosition: false for an app whose journal has other positions.
    init?(_ activity: AppActivity, hasPosition: Bool) {
        guard case .step(let step, let run) = activity.content else { return nil }
        self.init(
            position: hasPosition ? activity.position : nil, time: activity.time, loop: step.loop,
            key: step.key, number: step.index, event: step.event, payload: step.payload, before: step.before,
            after: step.after, origin: step.origin, run: run)
    }
}
