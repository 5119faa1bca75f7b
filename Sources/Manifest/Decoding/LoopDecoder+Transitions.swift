import Diagnostics
import Records

extension LoopDecoder {
    /// The key for all events that have no entry of their own, or whose own does not apply.
    static let anyEvent = "*"

    /// `[loops.X.on]`: for each event its own transitions, then those of `"*"`.
    func decodeTransitions(_ on: TableReader) -> [[TransitionModel]] {
        var own = events.map { _ in [TransitionModel]() }
        var general = own
        for entry in on.named {
            if entry.key == Self.anyEvent {
                guard !events.isEmpty else { continue }
                general = decodeTransitions(entry, in: on, events: Array(events.indices))
            } else if let index = event(entry.key, at: entry.keySpan, help: on.misplacement(of: entry)) {
                own[index] = decodeTransitions(entry, in: on, events: [index])[0]
            }
        }
        return zip(own, general).map { $0 + $1 }
    }

    /// The transitions of an entry, for each of these events.
    private func decodeTransitions(
        _ entry: TOMLEntry, in on: TableReader, events indices: [Int]
    ) -> [[TransitionModel]] {
        let scope = scope.withTime.with(events: indices.map { events[$0].type })
        var result = indices.map { _ in [TransitionModel]() }
        for node in entry.value.oneOrSeveral {
            guard node.kind == .table else {
                on.wrongType(node, of: entry.key, expected: "a table")
                continue
            }
            let table = on.reader(
                of: TOMLEntry(key: entry.key, keySpan: entry.keySpan, value: node), .transition)
            let variants = decodeTransition(table, in: scope)
            for index in variants.indices { result[index].append(variants[index]) }
        }
        return result
    }

    private func decodeTransition(_ table: TableReader, in scope: ExpressionScope) -> [TransitionModel] {
        let conditions = manifest.conditions(table, "if", in: scope)
        var assignments = scope.variants.map { _ in [Assignment]() }
        let isIgnored = table.boolean("ignore") ?? false
        if let set = table.table("set", .set) {
            if isIgnored {
                collector.error(
                    .conflictingKeys, "`ignore` and `set` exclude one another", at: table.span(of: "ignore"),
                    related: [Diagnostic.Label(set.keySpan, "this changes the state")])
            }
            for (field, node) in fields(set, of: initialState.type, named: "loops.\(name).state") {
                guard let variants = manifest.assignments(to: field, node, in: scope) else { continue }
                for index in variants.indices { assignments[index].append(variants[index]) }
            }
        }
        return zip(conditions, assignments).map {
            TransitionModel(condition: $0, assignments: $1, isIgnored: isIgnored, span: table.keySpan)
        }
    }

    /// The fields of a record that a table gives, in the record's order; others are faults.
    func fields(
        _ table: TableReader, of record: RecordType, named title: String
    ) -> [(field: RecordType.Field, node: TOMLNode)] {
        var found: [(index: Int, node: TOMLNode)] = []
        for entry in table.named {
            if let index = record.index(of: entry.key) {
                found.append((index, entry.value))
            } else if manifest.faultyUses.isDisjoint(with: [".\(entry.key)", Self.anyField]) {
                let names = record.fields.map(\.name)
                collector.error(
                    .unknownField, "unknown field `\(entry.key)` in `\(table.path.lastPart)`",
                    at: entry.keySpan,
                    label: names.isEmpty ? "`\(title)` has no fields" : "`\(title)` has \(names.quoted)",
                    help: [table.misplacement(of: entry) ?? names.suggestion(for: entry.key)])
            }
        }
        return found.sorted { $0.index < $1.index }.map { (record.fields[$0.index], $0.node) }
    }
}

extension String {
    /// What follows the last dot of a path.
    var lastPart: Substring { self[(lastIndex(of: ".").map(index(after:)) ?? startIndex)...] }
}
