import App
import Control
import Diagnostics
import Manifest
import Records

/// The activities that one client watches, and how far it has seen them.
struct ActivityReader {
    let loops: Set<Int>
    private let filter: StepFilter?
    private let names: [String]
    private let hasPositions: Bool
    private var cursor: ActivityCursor
    /// How many lines of the log the client has seen; nil if it does not watch the log.
    private var seenLog: UInt64?
    private var queue = LineQueue<Item> { item in
        if case .activity(let activity) = item { activity.kind == .faults } else { false }
    }

    private enum Item {
        case activity(AppActivity)
        case log(LogTap.Line)
    }

    /// - Parameters:
    ///   - loops: the watched loops, by their indices.
    ///   - names: the names of all loops.
    init(
        _ watch: ControlWatch, _ loops: Set<Int>, of names: [String], _ port: AppPort, _ log: LogTap,
        _ filter: StepFilter?
    ) {
        (self.loops, self.names, self.filter) = (loops, names, filter)
        hasPositions = port.journal == nil
        let kinds = watch.kinds.compactMap { AppActivity.Kind(rawValue: $0.rawValue) }
        cursor = port.cursor(of: loops, Set(kinds))
        seenLog = watch.kinds.contains(.log) ? log.open() : nil
    }

    /// Whether messages of gears are watched.
    var seesMessages: Bool { cursor.seesMessages }

    /// Whether the log is watched.
    var seesLog: Bool { seenLog != nil }

    /// Lines for the client, as `ControlTarget.takeActivity` says.
    mutating func take(
        from port: AppPort, _ log: LogTap, most: Int, isFresh: Bool
    ) -> (lines: [String], skipped: Int, isMore: Bool) {
        let isBehind = port.isBehind(cursor)
        let new = port.activities(after: &cursor)
        // Only the newest after the last gap are looked at closely, and all faults.
        var newest = new.kept.suffix(LineQueue<Item>.mostWaiting)
        if let gap = newest.lastIndex(where: { $0.missedSteps > 0 }) {
            newest = newest[(gap + 1)...]
            queue.skipOthers()
        }
        let found = new.kept.dropLast(newest.count).filter { $0.kind == .faults } + newest
        let all = new.kept.reduce(new.lost) { $0 + max(1, Int(clamping: $1.missedSteps)) }
        queue.add(found.filter(isWanted).map { .activity($0) }, lost: all - found.count)
        if var seen = seenLog {
            let lines = log.lines(after: &seen)
            seenLog = seen
            queue.add(lines.kept.map { .log($0) }, lost: lines.lost)
        }
        let taken = queue.take(most: most, isFresh: isFresh)
        return (taken.items.map { line($0).json }, taken.skipped, taken.isMore || isBehind)
    }

    private func isWanted(_ activity: AppActivity) -> Bool {
        guard let filter, activity.kind == .steps else { return true }
        return PastStep(activity, hasPosition: true).map { filter.holds($0) } ?? false
    }

    private func line(_ item: Item) -> Value {
        switch item {
        case .activity(let activity): line(activity)
        case .log(let line): line.json
        }
    }

    private func line(_ activity: AppActivity) -> Value {
        if let step = PastStep(activity, hasPosition: hasPositions) { return .record([("step", step.json)]) }
        var fields: [(String, Value)] = []
        if hasPositions { fields.append(("position", .int(Int64(clamping: activity.position)))) }
        if let loop = activity.loop { fields.append(("loop", .string(names[loop]))) }
        if let key = activity.key { fields.append(("key", key.value)) }
        fields.append(("time", .string(JournalTime.universal(activity.time))))
        switch activity.content {
        case .step, .gap: return .null
        case .unhandled(let event, let payload, let origin):
            fields += [
                ("event", .string(event)), ("payload", payload.value), ("origin", .string(origin)),
            ]
            return .record([("unhandled", .record(fields))])
        case .run(let run): return .record([("run", .record(fields + Self.fields(run)))])
        case .fault(let fault):
            fields += [
                ("step", .int(Int64(clamping: fault.step))), ("origin", .string(fault.part)),
                ("code", .string(fault.diagnostic.code.rawValue)),
                ("message", .string(fault.diagnostic.message)),
            ]
            return .record([("fault", .record(fields))])
        case .message(let gear, let message, let payload):
            fields += [
                ("gear", .string(gear)), ("message", .string(message)), ("payload", payload.value),
            ]
            return .record([("message", .record(fields))])
        }
    }

    private static func fields(_ run: AppActivity.Run) -> [(String, Value)] {
        var fields: [(String, Value)] = [
            ("feedback", .string(run.feedback)), ("number", .int(Int64(clamping: run.number))),
            ("state", .string(run.state.rawValue)),
        ]
        if let event = run.event { fields.append((run.state == .began ? "cause" : "event", .string(event))) }
        if let took = run.took { fields.append(("took", .int(took.nanoseconds))) }
        return fields
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
