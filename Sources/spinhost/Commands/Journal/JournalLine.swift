import Journal
import Records

/// Formats the entries of a journal.
struct JournalLine {
    private let form: StepLine

    /// - Parameter color: whether to colour lines with ANSI escapes.
    init(color: Bool) { form = StepLine(color: color) }

    /// `4  11:44:23.250  levels  #4  left_moved(to: 14)  left 13 → 14  ← left`
    func line(_ placed: PlacedEntry, _ state: JournalState) -> String? {
        guard let schema = state.epoch?.schema else { return nil }
        let time = placed.time.map { JournalTime.time($0) } ?? "            "
        return "\(placed.position)  \(time)  \(text(placed.entry, state, schema))"
    }

    private func text(_ entry: Entry, _ state: JournalState, _ schema: AppSchema) -> String {
        switch entry {
        case .epoch(let epoch):
            return
                "\(state.epochs == 1 ? "begun" : "continued") by \(epoch.host), process \(epoch.process): \(epoch.manifest)"
        case .started(let loop, let step):
            return form.line(loop: schema.loops[loop].name, step: step, initial: state.loops[loop].state)
        case .step(let step):
            let loop = schema.loops[step.loop]
            return form.line(
                loop: loop.name, step: step.step, loop.events[step.event].name, step.payload,
                from: step.before, to: state.loops[step.loop].state,
                Self.origin(step.origin, loop))
        case .refused(let step, let why):
            let loop = schema.loops[step.loop]
            return form.line(
                loop: loop.name, refused: loop.events[step.event].name, step.payload, Self.words(why),
                Self.origin(step.origin, loop))
        case .sent(let loop, let feedback, let gear, let message, let payload):
            let (name, type) = (schema.gears[gear].name, schema.gears[gear].messages[message].name)
            return form.line(
                loop: schema.loops[loop].name, refused: "\(name).\(type)", payload, "sent",
                "feedback:\(schema.loops[loop].feedbacks[feedback].name)")
        case .fault(let loop, let code, let part, let message):
            return "\(schema.loops[loop].name)  fault \(code) in \(part): \(Redaction.redacted(message))"
        case .swapped(let from, let to, let isRollBack):
            return "`\(to.name)` \(isRollBack ? "rolled back" : "swapped") \(from) → \(to.version)"
        case .finished(let loop, let isDone):
            return "\(schema.loops[loop].name)  \(isDone ? "done" : "stopped")"
        }
    }

    private static func words(_ why: Refusal) -> String {
        switch why {
        case .unhandled: "not handled"
        case .failed: "failed"
        case .withdrawn: "withdrawn"
        }
    }

    /// `feedback:left`, `gear:news` or `external`, as `run --json` writes it.
    static func origin(_ origin: EntryOrigin, _ loop: LoopSchema) -> String {
        guard case .run(let feedback, _) = origin else { return "external" }
        let name = loop.feedbacks[feedback].name
        return loop.feedbacks[feedback].trigger == .receiver ? name : "feedback:\(name)"
    }

    /// The entry as a record for programs; nil for one that `run --json` has no line for.
    static func json(_ placed: PlacedEntry, _ state: JournalState) -> Value? {
        guard let schema = state.epoch?.schema else { return nil }
        var fields: [(String, Value)]
        switch placed.entry {
        case .started(let loop, let step):
            fields = [
                ("loop", .string(schema.loops[loop].name)), ("step", .int(Int64(step))),
                ("state", state.loops[loop].state.value), ("origin", .string("initial")),
            ]
        case .step(let step):
            let loop = schema.loops[step.loop]
            fields = [
                ("loop", .string(loop.name)), ("step", .int(Int64(step.step))),
                ("event", .string(loop.events[step.event].name)), ("payload", step.payload.value),
                ("state", state.loops[step.loop].state.value),
                ("origin", .string(origin(step.origin, loop))),
            ]
            if case .run(_, let number) = step.origin {
                fields.append(("run", .int(Int64(clamping: number))))
            }
        default: return nil
        }
        fields.append(("position", .int(Int64(clamping: placed.position))))
        if let time = placed.time { fields.append(("time", .string(JournalTime.universal(time)))) }
        return .record(fields)
    }
}
