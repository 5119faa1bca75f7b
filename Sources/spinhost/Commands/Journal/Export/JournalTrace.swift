import Journal
import Records

/// Makes of a journal the events of the Trace Event Format, which Perfetto and other viewers of traces open.
///
/// Each loop is a process of the trace. It has a track for its steps, one for its messages, and one for each feedback,
/// whose runs are slices. Runs of one feedback that overlap have further tracks, as slices of one track must nest.
///
/// A journal knows for which step a run was begun, and between which entries it ended. So a run begins at the time of
/// that step, and ends at the time of the first entry that says so.
struct JournalTrace {
    /// The runs of one feedback of a loop.
    private struct Feedback: Hashable {
        let loop: String, name: String
    }

    /// A run that has not ended.
    private struct Run {
        let row: Int
        let begin: Int64
        let step: UInt64?
        var events = 0
    }

    /// How many steps back the time of a step is known.
    private static let mostSteps: UInt64 = 4096

    private var tracks = TraceTracks()
    private var open: [Feedback: [UInt64: Run]] = [:]
    /// By loop: the times of its last steps.
    private var times: [String: [UInt64: Int64]] = [:]
    /// The names of messages that a loop has not received, by their positions.
    private var messages: [UInt64: String] = [:]
    private var process: Int32?
    /// The time of the last entry.
    private var last: Int64 = 0

    /// - Parameter app: the app's name.
    init(app: String) { tracks.name(app: app) }

    /// The events of an entry, in order.
    mutating func take(_ placed: PlacedEntry, _ state: JournalState) -> [Value] {
        guard let schema = state.epoch?.schema else { return [] }
        var events: [Value] = []
        switch placed.entry {
        case .epoch(let epoch):
            let time = placed.time ?? epoch.time
            if let process, process != epoch.process { events += endAll("interrupted") }
            process = epoch.process
            advance(to: time)
            events.append(
                tracks.instant(
                    state.epochs == 1 ? "begun" : "continued", "epoch", at: time,
                    [
                        ("host", .string(epoch.host)), ("process", .int(Int64(epoch.process))),
                        ("manifest", .string(epoch.manifest)),
                    ]))
        case .swapped(let from, let to, let isRollBack):
            let time = placed.time ?? last
            advance(to: time)
            events.append(
                tracks.instant(
                    "\(to.name) \(isRollBack ? "rolled back" : "swapped")", "swap", at: time,
                    [("from", .string(from)), ("to", .string(to.version))]))
        case .started(let loop, let step):
            let time = placed.time ?? last
            advance(to: time)
            times[schema.loops[loop].name] = [step: time]
            events.append(
                tracks.instant("begins", "step", of: schema.loops[loop].name, at: time, Self.step(step)))
        case .step(let step):
            let (loop, time) = (schema.loops[step.loop], placed.time ?? last)
            advance(to: time)
            events += update(loop, state.loops[step.loop], at: time, step.origin)
            events += received(step, loop, state, at: time)
            times[loop.name, default: [:]][step.step] = time
            if step.step >= Self.mostSteps { times[loop.name]?[step.step - Self.mostSteps] = nil }
            events.append(
                tracks.instant(
                    loop.events[step.event].name, "step", of: loop.name, at: time,
                    Self.step(step.step) + [
                        ("payload", step.payload.value),
                        ("origin", .string(JournalLine.origin(step.origin, loop))),
                        ("position", .int(Int64(clamping: placed.position))),
                    ]))
        case .refused(let step, let why):
            let (loop, time) = (schema.loops[step.loop], placed.time ?? last)
            advance(to: time)
            events += update(loop, state.loops[step.loop], at: time, step.origin)
            events.append(
                tracks.instant(
                    "\(loop.events[step.event].name) \(why)", "refused", of: loop.name, at: time,
                    [("payload", step.payload.value)]))
        case .sent(let index, let feedback, let gear, let message, let payload):
            let (loop, past) = (schema.loops[index], state.loops[index])
            events += update(loop, past, at: past.time, nil)
            let name = "\(schema.gears[gear].name).\(schema.gears[gear].messages[message].name)"
            let receivers = state.messages[placed.position]?.receivers ?? []
            if !receivers.isEmpty { messages[placed.position] = name }
            events += tracks.sent(
                name, position: placed.position, to: receivers.sorted(), of: loop.name, at: past.time,
                [("payload", payload.value), ("feedback", .string(loop.feedbacks[feedback].name))])
        case .fault(let index, let code, let part, let message):
            let time = placed.time ?? last
            advance(to: time)
            events.append(
                tracks.instant(
                    "fault \(code)", "fault", of: schema.loops[index].name, at: time,
                    [("part", .string(part)), ("message", .string(message))]))
        case .finished(let index, let isDone):
            let (loop, time) = (schema.loops[index], placed.time ?? last)
            advance(to: time)
            events += update(loop, state.loops[index], at: time, nil)
            events += endAll("running", of: loop.name)
            events.append(tracks.instant(isDone ? "done" : "stopped", "step", of: loop.name, at: time, []))
        }
        return tracks.takeNames() + events
    }

    /// The events of runs that have not ended at the end of the journal.
    mutating func finish() -> [Value] {
        let events = endAll("running")
        return tracks.takeNames() + events
    }

    private mutating func advance(to time: Int64) { last = max(last, time) }

    private static func step(_ number: UInt64) -> [(String, Value)] {
        [("step", .int(Int64(clamping: number)))]
    }

    // MARK: - Runs

    /// Compares the runs that are known to be open with those of the journal.
    private mutating func update(
        _ loop: LoopSchema, _ past: LoopPast, at time: Int64, _ origin: EntryOrigin?
    ) -> [Value] {
        var events: [Value] = []
        for (index, schema) in loop.feedbacks.enumerated() where schema.trigger != .receiver {
            let (feedback, known) = (Feedback(loop: loop.name, name: schema.name), past.feedbacks[index])
            for run in known.open where run.number > 0 && !run.isFromBefore {
                begin(feedback, run.number, step: run.step, at: time)
            }
            if case .run(index, let number)? = origin, number > 0 {
                begin(feedback, number, step: known.beginning(ofRun: number), at: time)
                open[feedback]?[number]?.events += 1
            }
            let left = Set(known.open.map(\.number))
            for number in (open[feedback] ?? [:]).keys.filter({ !left.contains($0) }).sorted() {
                events += end(feedback, number, at: time, "ended")
            }
        }
        return events
    }

    private mutating func begin(_ feedback: Feedback, _ number: UInt64, step: UInt64?, at time: Int64) {
        guard open[feedback]?[number] == nil else { return }
        let begin = min(time, step.flatMap { times[feedback.loop]?[$0] } ?? time)
        let row = tracks.takeRow(of: feedback.loop, feedback.name, from: begin)
        open[feedback, default: [:]][number] = Run(row: row, begin: begin, step: step)
    }

    private mutating func end(_ feedback: Feedback, _ number: UInt64, at time: Int64, _ how: String)
        -> [Value]
    {
        guard let run = open[feedback]?.removeValue(forKey: number) else { return [] }
        var arguments: [(String, Value)] = [("run", .int(Int64(clamping: number)))]
        if let step = run.step { arguments += Self.step(step) }
        arguments += [("events", .int(Int64(run.events))), ("outcome", .string(how))]
        return [
            tracks.slice(
                feedback.name, "run", of: feedback.loop, feedback.name, row: run.row, from: run.begin,
                to: max(run.begin, time), arguments)
        ]
    }

    /// - Parameter loop: only the runs of this loop; nil: of all.
    private mutating func endAll(_ how: String, of loop: String? = nil) -> [Value] {
        var events: [Value] = []
        let feedbacks = open.keys.filter { loop == nil || $0.loop == loop }
            .sorted { ($0.loop, $0.name) < ($1.loop, $1.name) }
        for feedback in feedbacks {
            for number in (open[feedback] ?? [:]).keys.sorted() {
                events += end(feedback, number, at: last, how)
            }
        }
        return events
    }

    /// The end of the arrow of a message that has become the event of a step.
    private mutating func received(
        _ step: Entry.Step, _ loop: LoopSchema, _ state: JournalState, at time: Int64
    ) -> [Value] {
        guard case .run(let index, _) = step.origin, loop.feedbacks[index].trigger == .receiver,
            let position = state.loops[step.loop].feedbacks[index].received, let name = messages[position]
        else { return [] }
        if state.messages[position] == nil { messages[position] = nil }
        return tracks.received(name, position: position, by: step.loop, of: loop.name, at: time)
    }
}
