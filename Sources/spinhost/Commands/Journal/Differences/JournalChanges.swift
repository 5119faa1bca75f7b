import Journal
import Records

/// What differs between two points of a journal.
struct JournalChanges {
    private let before: JournalState, after: JournalState
    private let reader: JournalReader
    private let loop: String?

    /// - Parameter loop: the only loop to look at.
    init(
        from before: JournalState, to after: JournalState, in reader: JournalReader, only loop: String?
    ) throws {
        (self.before, self.after, self.reader, self.loop) = (before, after, reader, loop)
    }

    /// Events of a loop, counted.
    private struct Count {
        var steps = 0, refused = 0
        /// By origin, in the order of the first event.
        var origins: [(name: String, events: Int)] = []

        mutating func add(_ origin: String) {
            if let index = origins.firstIndex(where: { $0.name == origin }) {
                origins[index].events += 1
            } else {
                origins.append((origin, 1))
            }
        }

        /// `5 steps, 2 events of feedback:left, 3 of feedback:right`
        var text: String {
            var parts = [CountText.count(steps, "step")]
            for (index, origin) in origins.enumerated() {
                let count =
                    index == 0 ? CountText.count(origin.events, "event") : CountText.grouped(origin.events)
                parts.append("\(count) of \(origin.name)")
            }
            if refused > 0 { parts.append("\(CountText.grouped(refused)) refused") }
            return parts.joined(separator: ", ")
        }
    }

    /// A line for each loop that differs or has had events, and whether a state differs.
    var lines: (text: [String], differ: Bool) {
        get throws {
            let counts = try counts()
            let isBack = after.next < before.next
            var (lines, differ): ([String], Bool) = ([], false)
            for name in Self.names(before, after) where loop == nil || name == loop {
                let (old, new) = (before.past(of: name)?.state, after.past(of: name)?.state)
                let changes = Self.changes(old, new)
                differ = differ || !changes.isEmpty
                let count = counts[name]
                guard !changes.isEmpty || count != nil else { continue }
                let what = changes.isEmpty ? "nothing differs" : changes.joined(separator: ", ")
                lines.append(
                    "\(name): \(what) (\((count ?? Count()).text)\(isBack ? " in between, backwards" : ""))")
            }
            return (lines, differ)
        }
    }

    /// The loops of both, in the order of the newer one.
    static func names(_ before: JournalState, _ after: JournalState) -> [String] {
        let names = after.epoch?.schema.loops.map(\.name) ?? []
        return names + (before.epoch?.schema.loops.map(\.name) ?? []).filter { !names.contains($0) }
    }

    /// The fields that differ: `left 13 → 14`.
    static func changes(_ old: Record?, _ new: Record?) -> [String] {
        switch (old, new) {
        case (nil, nil): return []
        case (nil, _?): return ["has begun"]
        case (_?, nil): return ["has not begun"]
        case (let old?, let new?):
            let changes = StepLine.changes(from: old, to: new)
            // The fields of another case need not be named.
            let isOtherCase = old.caseIndex != new.caseIndex
            return changes + (isOtherCase ? [] : StepLine.removals(from: old, to: new))
        }
    }

    private func counts() throws -> [String: Count] {
        let (first, last) = (min(before.next, after.next), max(before.next, after.next) - 1)
        var counts: [String: Count] = [:]
        guard first <= last else { return counts }
        var point = try reader.point(before: first)
        if try point.state.next < reader.start().state.next { point = try reader.start() }
        try reader.read(into: &point, upTo: last) { placed, state in
            guard placed.position >= first, let schema = state.epoch?.schema else { return }
            switch placed.entry {
            case .step(let step):
                let loop = schema.loops[step.loop]
                counts[loop.name, default: Count()].steps += 1
                counts[loop.name, default: Count()].add(JournalLine.origin(step.origin, loop))
            case .refused(let step, _): counts[schema.loops[step.loop].name, default: Count()].refused += 1
            default: break
            }
        }
        if let damage = point.damage { throw damage }
        return counts
    }
}
