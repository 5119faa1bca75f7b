import Journal
import Records

/// Finds the first step of each loop at which two journals differ: in the event, its fields or the state.
///
/// It reads the journals piece by piece, once for each loop, so it needs little memory.
struct JournalComparison {
    private let first: JournalReader, second: JournalReader
    private let names: (String, String)

    init(_ first: JournalReader, _ second: JournalReader, names: (String, String)) {
        (self.first, self.second, self.names) = (first, second, names)
    }

    /// A line for each loop that differs.
    ///
    /// - Parameters:
    ///   - ends: what the journals say at their ends.
    ///   - loop: the only loop to compare.
    func lines(_ ends: [JournalState], only loop: String?) throws -> (text: [String], differ: Bool) {
        var lines: [String] = []
        for name in JournalChanges.names(ends[1], ends[0]) where loop == nil || name == loop {
            switch (ends[0].past(of: name), ends[1].past(of: name)) {
            case (nil, nil): break
            case (_?, nil): lines.append("\(name): only in `\(names.0)`")
            case (nil, _?): lines.append("\(name): only in `\(names.1)`")
            case (_?, _?): if let line = try line(name) { lines.append(line) }
            }
        }
        return (lines, !lines.isEmpty)
    }

    private func line(_ loop: String) throws -> String? {
        var left = try Line(first, loop), right = try Line(second, loop)
        var last: UInt64?
        while true {
            switch (try left.next(), try right.next()) {
            case (nil, nil): return nil
            case (let more?, nil): return tail(loop, last, names.0, 1 + (try left.rest()), more)
            case (nil, let more?): return tail(loop, last, names.1, 1 + (try right.rest()), more)
            case (let old?, let new?):
                guard old.step == new.step, old.hash == new.hash else { return try line(loop, old, new) }
                last = old.step
            }
        }
    }

    private func tail(_ loop: String, _ last: UInt64?, _ name: String, _ count: Int, _ more: Line.Item)
        -> String
    {
        guard let last else { return "\(loop): begins at step \(more.step) in `\(name)`" }
        return "\(loop): equal up to step \(last), and `\(name)` has \(CountText.count(count, "step")) more"
    }

    /// What differs in a step.
    private func line(_ loop: String, _ old: Line.Item, _ new: Line.Item) throws -> String? {
        guard old.step == new.step else {
            return "\(loop): step \(old.step) in `\(names.0)`, where `\(names.1)` has step \(new.step)"
        }
        guard let left = try first.cause(at: old.position), let right = try second.cause(at: new.position)
        else { return nil }
        let (events, states) = (
            [left, right].map { Self.event($0) }, [left, right].map { $0.state.past(of: loop)?.state }
        )
        var parts = JournalChanges.changes(states[0], states[1])
        if events[0] != events[1] { parts.insert("\(events[0]) → \(events[1])", at: 0) }
        if parts.isEmpty { parts = ["the types of the fields differ"] }
        let places = "@\(old.position) and @\(new.position)"
        return "\(loop): step \(old.step) differs (\(places)): \(parts.joined(separator: ", "))"
    }

    private static func event(_ cause: JournalCause) -> String {
        guard case .step(let step) = cause.placed.entry, let schema = cause.state.epoch?.schema else {
            return "start"
        }
        return schema.loops[step.loop].events[step.event].name + StepLine.arguments(step.payload)
    }
}

/// The states of one loop of a journal, in order, in short.
private struct Line {
    struct Item {
        let step: UInt64
        let position: UInt64
        /// Of the event, its fields and the state.
        let hash: Int
    }

    private let reader: JournalReader
    private let loop: String
    private var point: JournalReader.Point
    private var items: ArraySlice<Item> = []
    private var isAtEnd = false
    /// The hash of the last state.
    private var state: Int?

    init(_ reader: JournalReader, _ loop: String) throws {
        (self.reader, self.loop) = (reader, loop)
        point = try reader.start()
    }

    mutating func next() throws -> Item? {
        while items.isEmpty, !isAtEnd { try readMore() }
        return items.popFirst()
    }

    /// The number of items that are left.
    mutating func rest() throws -> Int {
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }

    private mutating func readMore() throws {
        let chunks = point.chunks
        var (read, last): ([Item], Int?) = ([], state)
        let name = loop
        try reader.read(into: &point, upTo: .max, most: 1 << 20) { placed, state in
            guard let index = placed.entry.changedLoop, let schema = state.epoch?.schema.loops[index],
                schema.name == name
            else { return }
            var hasher = Hasher()
            hasher.combine(state.loops[index].state)
            let hash = hasher.finalize()
            // A loop that continues with its state is no step.
            if case .started = placed.entry, hash == last { return }
            last = hash
            if case .step(let step) = placed.entry {
                hasher = Hasher()
                hasher.combine(hash)
                hasher.combine(schema.events[step.event].name)
                hasher.combine(step.payload)
                read.append(Item(step: step.step, position: placed.position, hash: hasher.finalize()))
            } else {
                read.append(Item(step: state.loops[index].step, position: placed.position, hash: hash))
            }
        }
        if let damage = point.damage { throw damage }
        (items, state) = (read[...], last)
        isAtEnd = point.chunks == chunks
    }
}
