import Records

/// The tracks of a trace, and the events on them in the Trace Event Format.
///
/// Times come as nanoseconds since 1970-01-01T00:00:00Z. The trace counts microseconds from the first one.
struct TraceTracks {
    /// A track of a loop.
    private struct Track: Hashable {
        let loop: String, name: String, row: Int
    }

    /// What one of several tracks of the same name has.
    private struct Row {
        var isTaken = false
        /// Where its last slice ends.
        var end = Int64.min
    }

    /// The process of the trace for what belongs to no loop.
    private static let app: Int64 = 1
    /// How long the slice of a message is, to which its arrow is tied, in nanoseconds.
    private static let moment: Int64 = 1000

    private var processes: [String: Int64] = [:]
    private var threads: [Track: Int64] = [:]
    /// By the tracks of their first row.
    private var rows: [Track: [Row]] = [:]
    /// Names that are not written yet.
    private var names: [Value] = []
    private var origin: Int64?

    /// Names what belongs to no loop.
    mutating func name(app: String) { note("process_name", Self.app, 0, "app \(app)") }

    /// The events that name new tracks.
    mutating func takeNames() -> [Value] {
        defer { names = [] }
        return names
    }

    /// A moment of a loop, on the track of its steps; nil for one of the app, across all tracks.
    mutating func instant(
        _ name: String, _ category: String, of loop: String? = nil, at time: Int64,
        _ arguments: [(String, Value)]
    ) -> Value {
        let (process, thread) = loop.map { place($0, "steps") } ?? (Self.app, 0)
        return event(
            "i", name, category, process, thread, time,
            [("s", .string(loop == nil ? "g" : "t")), ("args", .record(arguments))])
    }

    /// A part of a track.
    mutating func slice(
        _ name: String, _ category: String, of loop: String, _ track: String, row: Int, from begin: Int64,
        to end: Int64, _ arguments: [(String, Value)]
    ) -> Value {
        let first = Track(loop: loop, name: track, row: 0)
        rows[first]?[row] = Row(isTaken: false, end: end)
        let (process, thread) = place(loop, track, row)
        return event(
            "X", name, category, process, thread, begin,
            [("dur", .double(Double(end - begin) / 1000)), ("args", .record(arguments))])
    }

    /// The first of the tracks of a name that is free from a time on. It is taken until its `slice`.
    mutating func takeRow(of loop: String, _ track: String, from begin: Int64) -> Int {
        let first = Track(loop: loop, name: track, row: 0)
        var all = rows[first] ?? []
        let free = all.firstIndex { !$0.isTaken && $0.end <= begin } ?? all.count
        if free == all.count { all.append(Row()) }
        all[free].isTaken = true
        rows[first] = all
        return free
    }

    /// A message that was sent: the beginning of an arrow to each receiver.
    ///
    /// - Parameter receivers: the indices of the loops that receive it.
    mutating func sent(
        _ name: String, position: UInt64, to receivers: [Int], of loop: String, at time: Int64,
        _ arguments: [(String, Value)]
    ) -> [Value] {
        message(
            "s", "sent \(name)", position, receivers, loop, time, arguments, [])
    }

    /// A message that a loop has received: the end of an arrow.
    mutating func received(
        _ name: String, position: UInt64, by receiver: Int, of loop: String, at time: Int64
    ) -> [Value] {
        message("f", "received \(name)", position, [receiver], loop, time, [], [("bp", .string("e"))])
    }

    private mutating func message(
        _ phase: String, _ name: String, _ position: UInt64, _ receivers: [Int], _ loop: String,
        _ time: Int64, _ arguments: [(String, Value)], _ more: [(String, Value)]
    ) -> [Value] {
        let row = takeRow(of: loop, "messages", from: time)
        // An arrow is tied to a slice, so a message has a short one.
        let slice = slice(
            name, "message", of: loop, "messages", row: row, from: time, to: time + Self.moment,
            [("message", .int(Int64(clamping: position)))] + arguments)
        let (process, thread) = place(loop, "messages", row)
        let arrows = receivers.map { receiver in
            // Each arrow has one end, so its number names the receiver, too.
            let number = Value.int(Int64(clamping: position << 16 | UInt64(receiver) & 0xffff))
            return event(phase, "message", "message", process, thread, time, [("id", number)] + more)
        }
        return [slice] + arrows
    }

    /// The numbers of a track.
    private mutating func place(
        _ loop: String, _ name: String, _ row: Int = 0
    ) -> (process: Int64, thread: Int64) {
        if processes[loop] == nil {
            processes[loop] = Self.app + 1 + Int64(processes.count)
            note("process_name", processes[loop]!, 0, "loop \(loop)")
        }
        let (process, track) = (processes[loop]!, Track(loop: loop, name: name, row: row))
        if let thread = threads[track] { return (process, thread) }
        let thread = Int64(threads.count + 1)
        threads[track] = thread
        note("thread_name", process, thread, row == 0 ? name : "\(name) (\(row + 1))")
        return (process, thread)
    }

    private mutating func note(_ kind: String, _ process: Int64, _ thread: Int64, _ name: String) {
        names.append(
            .record([
                ("ph", .string("M")), ("name", .string(kind)), ("pid", .int(process)),
                ("tid", .int(thread)), ("args", .record([("name", .string(name))])),
            ]))
    }

    private mutating func event(
        _ phase: String, _ name: String, _ category: String, _ process: Int64, _ thread: Int64,
        _ time: Int64, _ more: [(String, Value)]
    ) -> Value {
        let begin = origin ?? time
        origin = begin
        return .record(
            [
                ("ph", .string(phase)), ("name", .string(name)), ("cat", .string(category)),
                ("pid", .int(process)), ("tid", .int(thread)),
                ("ts", .double(Double(time - begin) / 1000)),
            ] + more)
    }
}
