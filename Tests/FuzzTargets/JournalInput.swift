import Journal
import Records

/// Reads bytes as entries after a fixed start of a journal, or as a snapshot: the first byte chooses.
enum JournalInput {
    private static let schema: AppSchema = {
        let text = RecordType([("text", .string)])
        let point = RecordType([("x", .double), ("tags", .list(.string))])
        let mode = ValueType.enumeration(EnumerationType(members: ["slow", "fast"]))
        let state = RecordType(
            cases: [
                (name: "idle", fields: []),
                (name: "busy", fields: [("points", .list(.record(point))), ("note", .optional(.string))]),
            ], shared: [("count", .integer(.i32)), ("raw", .bytes), ("mode", mode)])
        return AppSchema(
            loops: [
                LoopSchema(
                    name: "work", state: state, events: [NamedType("add", text), NamedType("at", point)],
                    feedbacks: [.init("mail", .receiver), .init("pay", .event), .init("show", .change)],
                    receives: [.init(gear: 0, message: 0)]),
                LoopSchema(
                    name: "idle", state: RecordType([]), events: [NamedType("go", RecordType([]))],
                    feedbacks: [.init("each", .each)], receives: [.init(gear: 0, message: 0)]),
            ], gears: [GearSchema(name: "mail", messages: [NamedType("note", text)])])
    }()
    private static let epoch = Epoch(
        time: 1, host: "1.0", process: 1, manifest: "app.toml",
        plugins: [Epoch.Plugin(name: "count", version: "1", hash: "0f")], schema: schema)
    /// The loops have begun.
    private static let start: JournalState = {
        let entries = ByteWriter()
        entries.put(epoch)
        for index in schema.loops.indices {
            append(index, to: entries) { $0.started(Record(schema.loops[index].state), step: 0, time: 1) }
        }
        var state = JournalState()
        apply(entries.bytes, count: 3, to: &state)
        precondition(state.loops.allSatisfy(\.hasBegun), "the fixed start is whole")
        return state
    }()

    static func run(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if choice & 1 == 0 {
            var state = start
            apply(rest, count: rest.count, to: &state)
            show(state)
        } else {
            do throws(DamagedBytes) {
                var state = try JournalState(decoding: rest)
                show(state)
                apply(rest, count: 1, to: &state)
                show(state)
            } catch { precondition(!error.description.isEmpty, "every refusal says something") }
        }
    }

    private static func apply(_ bytes: [UInt8], count: Int, to state: inout JournalState) {
        let chunk = Chunk(
            number: 1, first: state.next, count: count, time: 0, checksum: 0, bytes: bytes)
        do throws(DamagedBytes) {
            _ = try state.apply(chunk) { placed, state in
                precondition(placed.position == state.next, "an entry is visited at its position")
                if case .step(let step) = placed.entry { _ = step.before.value.json }
            }
        } catch { precondition(!error.description.isEmpty, "every refusal says something") }
    }

    /// Reads all values, and the state as a snapshot.
    private static func show(_ state: JournalState) {
        for loop in state.loops {
            _ = (loop.state.value.json, loop.payload?.value.json)
            for run in loop.feedbacks.flatMap({ $0.open + $0.waiting }) {
                _ = (run.cause?.state.value.json, run.cause?.payload.value.json)
            }
        }
        for message in state.messages.values { _ = message.payload.value.json }
        let bytes = state.encoded()
        do throws(DamagedBytes) {
            let again = try JournalState(decoding: bytes).encoded()
            precondition(again == bytes, "a snapshot reads as it was written")
        } catch { preconditionFailure("a snapshot that was written is whole: \(error)") }
    }

    /// Entries of each kind, the same in a snapshot, and another epoch.
    static var seeds: [[UInt8]] {
        let (state, text) = (Record(schema.loops[0].state), Record(schema.loops[0].events[0].type))
        var busy = state
        busy.changeCase(to: 1)
        let entries = ByteWriter()
        append(0, to: entries) {
            $0.started(state, step: 0, time: 2)
            $0.step(event: 0, text, feedback: -1, run: 0, time: 3, state: busy, entered: true)
            $0.began(feedback: 1, run: 1, events: 2, hasWaited: false)
            $0.asked(feedback: 1)
            $0.began(feedback: 2, run: 1, events: nil, hasWaited: false)
            $0.refused(event: 0, text, feedback: 1, run: 1, time: 4, .unhandled)
        }
        entries.sent(
            loop: 0, feedback: 2, gear: 0, message: 0, text, by: RecordCoder(text.type))
        entries.fault(loop: 1, time: 5, code: "E104", part: "feedback:show", message: "failed")
        entries.swapped(time: 6, from: "0.9", to: epoch.plugins[0], isRollBack: false)
        append(0, to: entries) {
            $0.received(feedback: 0, position: 7, events: 1)
            $0.ended(feedback: 2, run: 1, .cancelled)
            $0.delivered()
            $0.finished(time: 7, isDone: true)
        }
        var folded = start
        apply(entries.bytes, count: 7, to: &folded)
        let other = ByteWriter()
        var recovery = epoch
        recovery.time = 100
        other.put(recovery)
        return [
            [0] + entries.bytes, [1] + folded.encoded(), [1] + start.encoded(), [0] + other.bytes, [1, 0],
        ]
    }

    private static func append(_ loop: Int, to entries: ByteWriter, _ body: (LoopEncoder) -> Void) {
        let schema = schema.loops[loop]
        let encoder = LoopEncoder(schema, index: loop, latest: schema.feedbacks.map { _ in 0 })
        body(encoder)
        unsafe encoder.bytes.withBytes { unsafe entries.put(raw: $0) }
    }
}
