import Diagnostics
public import Journal
public import Manifest
public import Records

/// Makes a journal of a recording: the lines that `run --json` or `journal export` has written.
///
/// A recording says less than a journal: no messages, and not for which state a run began. An app that continues the
/// journal has the last states, and begins its effects as a new run does.
public struct JournalImport {
    /// A line that does not belong into a journal of this manifest.
    public struct Problem: Error, Sendable {
        /// One sentence.
        public let message: String
        /// The names and `[index]`es that lead to the part of the line in question.
        public let path: [String]
        /// Advice, one line each.
        public let help: [String]
    }

    /// Bytes that are committed together.
    private static let full = 256 << 10

    private let manifest: Manifest
    private let host: AppJournal.Host
    private let schema: AppSchema
    private let store: any JournalStore
    private let encoders: [LoopEncoder]
    private let replays: [LoopReplay]
    private let faults = ByteWriter()
    private var states: [Record?]
    private var numbers: [UInt64]
    private var bytes = ByteWriter()
    private var count = 0
    private var last: Chunk?
    private var time: Int64
    /// The number of steps so far.
    public private(set) var steps = 0

    /// Begins an empty journal.
    ///
    /// - Parameter time: the time of lines that have none: nanoseconds since 1970-01-01T00:00:00Z.
    public init(_ manifest: Manifest, _ host: AppJournal.Host, to store: any JournalStore, time: Int64) {
        (self.manifest, self.store, self.time) = (manifest, store, time)
        schema = AppSchema(manifest)
        encoders = schema.loops.enumerated().map { LoopEncoder($1, index: $0) }
        replays = manifest.loops.map { LoopReplay($0, config: manifest.config, nil) }
        states = schema.loops.map { _ in nil }
        numbers = schema.loops.map { _ in 0 }
        self.host = host
    }

    /// Whether a loop has begun.
    public var hasBegun: Bool { states.contains { $0 != nil } }

    /// Takes one line: the state that a loop began in, a step or a fault. Other lines are passed over.
    ///
    /// - Throws: `Problem`, or `JournalError` when the journal cannot be written.
    public mutating func take(_ line: Value) throws {
        guard case .string(let name)? = line["loop"] else {
            guard ["print", "swap", "build", "epoch"].contains(where: { line[$0] != nil }) else {
                throw Problem(
                    "this is no line of a recording", help: ["`spinhost run --json > FILE` records"])
            }
            return
        }
        guard let index = schema.loops.firstIndex(where: { $0.name == name }) else {
            throw Problem(
                "the manifest has no loop `\(name)`", at: ["loop"],
                help: [
                    Suggestion.closest(to: name, among: schema.loops.map(\.name)).map {
                        "did you mean `\($0)`?"
                    },
                    "name the manifest that was recorded with `--manifest`",
                ])
        }
        try readTime(line)
        if last == nil, count == 0 {
            bytes.put(
                Epoch(
                    time: time, host: host.version, process: 0, manifest: host.manifest, plugins: [],
                    schema: schema))
            count = 1
        }
        if let fault = line["fault"] {
            takeFault(fault, line, of: index)
        } else if line["state"] != nil {
            try takeState(line, of: index)
        }
        if bytes.count >= Self.full { try commit() }
    }

    /// Commits the rest, with a snapshot of its end.
    public mutating func finish() throws(JournalError) {
        for index in encoders.indices where states[index] != nil {
            encoders[index].delivered()
            append(encoders[index].bytes, count: 0)
        }
        try commit()
        let store = store
        try Snapshotter(
            after: JournalReader(store).start(), every: 16 << 20, keeping: .all, now: { 0 },
            open: { () throws(JournalError) in store }
        ).finish(store)
    }

    private mutating func readTime(_ line: Value) throws(Problem) {
        guard let given = line["time"] ?? line["now"] else { return }
        guard case .string(let text) = given,
            let time = TimeText.timestamp(ofRFC3339: text)?.nanosecondsSinceEpoch
        else {
            throw Problem(
                "the time is not RFC 3339, such as `2026-01-02T03:04:05Z`",
                at: [line["time"] == nil ? "now" : "time"])
        }
        self.time = time
    }

    private mutating func takeFault(_ fault: Value, _ line: Value, of loop: Int) {
        func text(_ value: Value?) -> String { if case .string(let text)? = value { text } else { "" } }
        faults.fault(
            loop: loop, time: time, code: text(fault["code"]), part: text(line["origin"]),
            message: text(fault["message"]))
        append(faults, count: 1)
    }

    private mutating func takeState(_ line: Value, of loop: Int) throws(Problem) {
        let (schema, encoder) = (schema.loops[loop], encoders[loop])
        guard case .int(let given)? = line["step"], let step = UInt64(exactly: given),
            let state = line["state"]
        else { throw Problem("a line with a state has its `step`", at: ["step"]) }
        let new = try record(state, as: schema.state, at: "state", of: "the state of `\(schema.name)`")
        defer { (states[loop], numbers[loop]) = (new, step) }
        guard let event = line["event"] else {
            encoder.started(new, step: step, time: time)
            append(encoder.bytes, count: 1)
            return
        }
        guard let old = states[loop] else {
            throw Problem(
                "step \(step) of `\(schema.name)` comes before its first state", at: ["step"],
                help: ["a recording begins with the line of step 0"])
        }
        guard step == numbers[loop] + 1 else {
            throw Problem(
                "step \(step) of `\(schema.name)` follows step \(numbers[loop]): steps are missing",
                at: ["step"])
        }
        let (index, payload) = try self.event(event, line["payload"], of: loop)
        let (feedback, run) = try origin(line, of: index, loop)
        let isEntered =
            replays[loop].enters(AppEvent(index: index, payload: payload), from: old, at: time)
            ?? (new.caseIndex != old.caseIndex)
        // A delay is over until its case is entered again.
        let endsDelay = feedback >= 0 && schema.feedbacks[feedback].trigger == .delay && !isEntered
        if endsDelay { encoder.began(feedback: feedback, run: run, events: nil, hasWaited: false) }
        encoder.step(
            event: index, payload, feedback: feedback, run: run, time: time, state: new, entered: isEntered)
        if endsDelay { encoder.ended(feedback: feedback, run: run, .finished) }
        append(encoder.bytes, count: 1)
        steps += 1
    }

    /// The event of a step; of several delayed transitions of a case, the one with that delay.
    private func event(_ event: Value, _ payload: Value?, of loop: Int) throws(Problem) -> (Int, Record) {
        let events = schema.loops[loop].events
        guard case .string(let name) = event, let payload else {
            throw Problem("a step has an `event` and its `payload`", at: ["event"])
        }
        guard let first = events.firstIndex(where: { $0.name == name }) else {
            throw Problem(
                "loop `\(schema.loops[loop].name)` has no event `\(name)`", at: ["event"],
                help: [
                    Suggestion.closest(to: name, among: events.map(\.name)).map { "did you mean `\($0)`?" }
                ])
        }
        let record = try record(payload, as: events[first].type, at: "payload", of: "event `\(name)`")
        let due = manifest.loops[loop].events.firstIndex { $0.name == name && $0.delay?.event == record }
        return (due ?? first, record)
    }

    /// `feedback:left`, `gear:news`, `after:open` or `external`, and the number of the run: 0 if the line has none.
    private func origin(
        _ line: Value, of event: Int, _ loop: Int
    ) throws(Problem) -> (feedback: Int, run: UInt64) {
        let schema = schema.loops[loop]
        guard case .string(let origin)? = line["origin"] else {
            throw Problem("a step has its `origin`", at: ["origin"])
        }
        guard origin != "external" else { return (-1, 0) }
        // The delays of a case have one name, and are the last feedbacks.
        let delays = manifest.loops[loop].delays
        if let delay = delays.firstIndex(where: { $0.event == event }) {
            return (schema.feedbacks.count - delays.count + delay, 0)
        }
        let name = origin.hasPrefix("feedback:") ? String(origin.dropFirst(9)) : origin
        guard let index = schema.feedbacks.firstIndex(where: { $0.name == name }) else {
            throw Problem("loop `\(schema.name)` has no feedback `\(name)`", at: ["origin"])
        }
        guard case .int(let number)? = line["run"] else { return (index, 0) }
        return (index, UInt64(clamping: number))
    }

    private func record(
        _ value: Value, as type: RecordType, at key: String, of what: String
    ) throws(Problem) -> Record {
        do throws(RecordError) { return try Record(type, jsonValue: value) } catch {
            throw Problem("\(what) does not fit the manifest: \(error.message)", at: [key] + error.path)
        }
    }

    private mutating func append(_ entries: ByteWriter, count: Int) {
        // Safe because the bytes are copied before the call returns.
        unsafe entries.withBytes { unsafe bytes.put(raw: $0) }
        entries.removeAll()
        self.count += count
    }

    private mutating func commit() throws(JournalError) {
        guard bytes.count > 0 else { return }
        let chunk = Chunk(after: last, count: count, time: time, bytes: bytes.bytes)
        try store.append(chunk)
        (last, count) = (chunk, 0)
        bytes.removeAll()
    }
}

extension JournalImport.Problem {
    fileprivate init(_ message: String, at path: [String] = [], help: [String?] = []) {
        (self.message, self.path, self.help) = (message, path, help.compactMap { $0 })
    }
}
