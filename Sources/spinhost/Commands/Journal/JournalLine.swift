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

    /// The entry as a record for programs; nil before the first epoch.
    static func json(_ placed: PlacedEntry, _ state: JournalState) -> Value? {
        guard let schema = state.epoch?.schema else { return nil }
        var fields = fields(placed.entry, state, schema)
        fields.append(("position", .int(Int64(clamping: placed.position))))
        if let time = placed.time { fields.append(("time", .string(JournalTime.universal(time)))) }
        return .record(fields)
    }

    private static func fields(
        _ entry: Entry, _ state: JournalState, _ schema: AppSchema
    ) -> [(String, Value)] {
        func loop(_ index: Int) -> (String, Value) { ("loop", .string(schema.loops[index].name)) }
        func step(_ number: UInt64) -> (String, Value) { ("step", .int(Int64(clamping: number))) }
        switch entry {
        case .epoch(let epoch):
            return [
                ("epoch", .int(Int64(state.epochs))), ("host", .string(epoch.host)),
                ("process", .int(Int64(epoch.process))), ("manifest", .string(epoch.manifest)),
            ]
        case .started(let index, let number):
            return [
                loop(index), step(number), ("state", state.loops[index].state.value),
                ("origin", .string("initial")),
            ]
        case .step(let made):
            let schema = schema.loops[made.loop]
            return [
                loop(made.loop), step(made.step), ("event", .string(schema.events[made.event].name)),
                ("payload", made.payload.value), ("state", state.loops[made.loop].state.value),
            ] + fields(made.origin, schema)
        case .refused(let event, let why):
            let schema = schema.loops[event.loop]
            return [
                loop(event.loop), ("refused", .string(schema.events[event.event].name)),
                ("payload", event.payload.value), ("why", .string(words(why))),
            ] + fields(event.origin, schema)
        case .sent(let index, let feedback, let gear, let message, let payload):
            let name = "\(schema.gears[gear].name).\(schema.gears[gear].messages[message].name)"
            return [
                loop(index), ("sent", .string(name)), ("payload", payload.value),
                ("origin", .string("feedback:\(schema.loops[index].feedbacks[feedback].name)")),
            ]
        case .fault(let index, let code, let part, let message):
            let fault: [(String, Value)] = [("code", .string(code)), ("message", .string(message))]
            return [
                loop(index), step(state.loops[index].step), ("origin", .string(part)),
                ("fault", .record(fault)),
            ]
        case .swapped(let from, let to, let isRollBack):
            let swap: [(String, Value)] = [
                ("plugin", .string(to.name)), ("outcome", .string(isRollBack ? "rolled back" : "swapped")),
                ("from", .string(from)), ("to", .string(to.version)),
            ]
            return [("swap", .record(swap))]
        case .finished(let index, let isDone):
            return [loop(index), ("ended", .string(isDone ? "done" : "stopped"))]
        }
    }

    private static func fields(_ origin: EntryOrigin, _ loop: LoopSchema) -> [(String, Value)] {
        var fields: [(String, Value)] = [("origin", .string(self.origin(origin, loop)))]
        // An imported recording may not have the numbers of its runs.
        if case .run(_, let number) = origin, number > 0 {
            fields.append(("run", .int(Int64(clamping: number))))
        }
        return fields
    }
}
