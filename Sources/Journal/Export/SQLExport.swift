import CSQLite
import Glibc
import Records

/// A plain database with the entries of a journal: text, numbers and JSON, for SQL.
///
/// One thread at a time may use it.
public final class SQLExport {
    private let connection: SQLiteConnection
    private let target: JournalFile
    private let conceal: (String) -> String
    /// What was written.
    private var point: JournalReader.Point?

    /// Makes the file, which must not exist.
    ///
    /// - Parameter conceal: gets each text from states, events and faults, and returns the one to write.
    /// - Throws: `.inaccessible` when the file exists or cannot be made.
    public init(to path: String, conceal: @escaping (String) -> String) throws(JournalError) {
        self.conceal = conceal
        target = try JournalFile(path)
        try target.makeEmpty()
        do throws(JournalError) {
            connection = try SQLiteConnection(target.path, flags: SQLITE_FLAG_READWRITE, for: target)
            do throws(SQLiteFailure) {
                // A process that is killed leaves a part of an export, which is made again.
                try connection.execute("PRAGMA synchronous = OFF; BEGIN; \(Self.tables); COMMIT")
            } catch {
                throw target.error(error, .exporting)
            }
        } catch {
            target.remove()
            throw error
        }
    }

    /// Writes the entries that the journal has and the database has not, in one transaction.
    ///
    /// - Returns: the number of entries.
    /// - Throws: also when the journal is damaged, without one of its entries after the last update. A database
    ///   that never had any is removed.
    public func update(from reader: JournalReader) throws(JournalError) -> Int {
        do throws(JournalError) {
            return try write(from: reader)
        } catch {
            if point == nil { target.remove() }
            throw error
        }
    }

    private func write(from reader: JournalReader) throws(JournalError) -> Int {
        // The autoclosure of `??` would lose the type of the error.
        var next = if let point { point } else { try reader.start() }
        let first = next.state.next
        var failure: SQLiteFailure?
        try execute("BEGIN")
        do throws(JournalError) {
            try reader.read(into: &next, upTo: .max) { [self] placed, state in
                guard failure == nil else { return }
                do throws(SQLiteFailure) { try write(placed, state) } catch { failure = error }
            }
            if let failure { throw target.error(failure, .exporting) }
            if let damage = next.damage { throw damage }
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
        point = next
        return Int(clamping: next.state.next - first)
    }

    private func execute(_ sql: String) throws(JournalError) {
        do throws(SQLiteFailure) { try connection.execute(sql) } catch {
            throw target.error(error, .exporting)
        }
    }

    private static let tables = """
        CREATE TABLE epochs(epoch INTEGER PRIMARY KEY, position INTEGER, time TEXT, host TEXT, process INTEGER, \
        manifest TEXT);
        CREATE TABLE steps(position INTEGER PRIMARY KEY, time TEXT, epoch INTEGER, loop TEXT, step INTEGER, \
        event TEXT, payload TEXT, changes TEXT, feedback TEXT, run INTEGER);
        CREATE INDEX steps_of_loops ON steps(loop, step);
        CREATE TABLE refused(position INTEGER PRIMARY KEY, time TEXT, epoch INTEGER, loop TEXT, event TEXT, \
        payload TEXT, why TEXT, feedback TEXT, run INTEGER);
        CREATE TABLE runs(loop TEXT, feedback TEXT, run INTEGER, begun_by INTEGER, first INTEGER, last INTEGER, \
        events INTEGER, PRIMARY KEY(loop, feedback, run)) WITHOUT ROWID;
        CREATE TABLE sends(position INTEGER PRIMARY KEY, epoch INTEGER, loop TEXT, feedback TEXT, gear TEXT, \
        message TEXT, payload TEXT);
        CREATE TABLE faults(position INTEGER PRIMARY KEY, time TEXT, epoch INTEGER, loop TEXT, code TEXT, \
        part TEXT, message TEXT);
        CREATE TABLE swaps(position INTEGER PRIMARY KEY, time TEXT, epoch INTEGER, plugin TEXT, before TEXT, \
        after TEXT, is_roll_back INTEGER);
        CREATE TABLE ends(position INTEGER PRIMARY KEY, time TEXT, epoch INTEGER, loop TEXT, outcome TEXT)
        """

    // MARK: - Rows

    private func write(_ placed: PlacedEntry, _ state: JournalState) throws(SQLiteFailure) {
        guard let schema = state.epoch?.schema else { return }
        let time = placed.time.map { time in
            SQLiteValue.text(TimeText.rfc3339(Timestamp(nanosecondsSinceEpoch: time)))
        }
        let (position, epoch) = (SQLiteValue(placed.position), SQLiteValue.number(Int64(state.epochs)))
        let head = [position, time ?? .null, epoch]
        func loop(_ index: Int) -> SQLiteValue { .text(schema.loops[index].name) }
        switch placed.entry {
        case .epoch(let made):
            try insert(
                "epochs",
                [
                    epoch, position, time ?? .null, .text(made.host), .number(Int64(made.process)),
                    .text(made.manifest),
                ])
        case .started(let index, let step):
            try insert(
                "steps",
                head + [
                    loop(index), SQLiteValue(step), .null, .null, json(state.loops[index].state.value), .null,
                    .null,
                ])
        case .step(let step):
            try insert(
                "steps",
                head + [
                    loop(step.loop), SQLiteValue(step.step), event(step, schema), json(step.payload.value),
                    json(Self.changes(from: step.before, to: state.loops[step.loop].state)),
                ] + origin(step, schema))
            try run(of: step, position, state, schema)
        case .refused(let step, let why):
            try insert(
                "refused",
                head + [loop(step.loop), event(step, schema), json(step.payload.value), .text("\(why)")]
                    + origin(step, schema))
        case .sent(let index, let feedback, let gear, let message, let payload):
            let name = schema.gears[gear].messages[message].name
            try insert(
                "sends",
                [
                    position, epoch, loop(index), .text(schema.loops[index].feedbacks[feedback].name),
                    .text(schema.gears[gear].name), .text(name), json(payload.value),
                ])
        case .fault(let index, let code, let part, let message):
            try insert("faults", head + [loop(index), .text(code), .text(part), .text(conceal(message))])
        case .swapped(let before, let plugin, let isRollBack):
            try insert(
                "swaps",
                head + [
                    .text(plugin.name), .text(before), .text(plugin.version), .number(isRollBack ? 1 : 0),
                ])
        case .finished(let index, let isDone):
            try insert("ends", head + [loop(index), .text(isDone ? "done" : "stopped")])
        }
    }

    private func insert(_ table: String, _ values: [SQLiteValue]) throws(SQLiteFailure) {
        let parameters = values.map { _ in "?" }.joined(separator: ", ")
        try connection.insert("INSERT INTO \(table) VALUES(\(parameters))", values)
    }

    /// Notes an event of a run. Receivers of gears have none.
    private func run(
        of step: Entry.Step, _ position: SQLiteValue, _ state: JournalState, _ schema: AppSchema
    ) throws(SQLiteFailure) {
        guard case .run(let feedback, let number) = step.origin else { return }
        let loop = schema.loops[step.loop]
        guard loop.feedbacks[feedback].trigger != .receiver, number > 0 else { return }
        let begun = state.loops[step.loop].feedbacks[feedback].beginning(ofRun: number)
        try connection.insert(
            """
            INSERT INTO runs VALUES(?1, ?2, ?3, ?4, ?5, ?5, 1) ON CONFLICT(loop, feedback, run) \
            DO UPDATE SET last = excluded.last, events = events + 1
            """,
            [
                .text(loop.name), .text(loop.feedbacks[feedback].name), SQLiteValue(number),
                begun.map { SQLiteValue($0) } ?? .null, position,
            ])
    }

    private func event(_ step: Entry.Step, _ schema: AppSchema) -> SQLiteValue {
        .text(schema.loops[step.loop].events[step.event].name)
    }

    private func origin(_ step: Entry.Step, _ schema: AppSchema) -> [SQLiteValue] {
        guard case .run(let feedback, let number) = step.origin else { return [.null, .null] }
        return [
            .text(schema.loops[step.loop].feedbacks[feedback].name), number > 0 ? SQLiteValue(number) : .null,
        ]
    }

    private func json(_ value: Value) -> SQLiteValue { .text(conceal(value.json)) }

    /// The fields with another value, and new ones.
    private static func changes(from before: Record, to after: Record) -> Value {
        let old = before.value
        guard case .map(let entries) = after.value else { return after.value }
        return .map(
            entries.filter { entry in
                guard case .string(let name) = entry.key else { return true }
                return old[name] != entry.value
            })
    }
}
