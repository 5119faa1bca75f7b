import Diagnostics
import Records

extension LoopDecoder {
    /// The key of entries for all events. They apply when no entry of the event itself does.
    static let anyEvent = "*"

    /// Decodes `[loops.X.on]`: for each event its own transitions, then those of `"*"`.
    func decodeTransitions(_ on: TableReader) -> [[TransitionModel]] {
        var own = events.map { _ in [TransitionModel]() }
        var general = own
        for entry in on.named {
            if entry.key == Self.anyEvent { continue }
            if let index = event(entry.key, at: entry.keySpan, help: on.misplacement(of: entry)) {
                own[index] = decodeTransitions(entry, in: on, events: [index])[0]
            } else {
                // The event may be unknown because `events` stands below a wrong header. Check the keys all
                // the same.
                for node in entry.value.oneOrSeveral where node.kind == .table {
                    _ = transition(entry, node, in: on)
                }
            }
        }
        if let entry = on.named.first(where: { $0.key == Self.anyEvent }), !events.isEmpty {
            general = decodeTransitions(entry, in: on, events: Array(events.indices))
        }
        return zip(own, general).map { $0 + $1 }
    }

    /// The transitions of an entry, for each of these events.
    private func decodeTransitions(
        _ entry: TOMLEntry, in on: TableReader, events indices: [Int]
    ) -> [[TransitionModel]] {
        var result = indices.map { _ in [TransitionModel]() }
        for node in entry.value.oneOrSeveral {
            guard node.kind == .table else {
                on.wrongType(node, of: entry.key, expected: "a table")
                continue
            }
            let table = transition(entry, node, in: on)
            for (table, lets) in alternatives(table) {
                guard let cases = caseScope(table, by: "from") else { continue }
                let variants = decodeTransition(
                    table, in: cases, events: indices.map { events[$0] }, cause: .events(indices), lets)
                for index in variants.indices { result[index] += variants[index] }
            }
        }
        return result
    }

    /// The table of one transition, with checked keys.
    private func transition(_ entry: TOMLEntry, _ node: TOMLNode, in on: TableReader) -> TableReader {
        on.reader(of: TOMLEntry(key: entry.key, keySpan: entry.keySpan, value: node), .transition)
    }

    /// The transitions of an entry with their `let` tables, the outer one first: the entry itself, or those in its
    /// `cases`.
    private func alternatives(_ table: TableReader) -> [(table: TableReader, lets: [TableReader])] {
        let outer = table.table("let", .transitionLet)
        guard let span = table.span(of: "cases") else { return [(table, outer.map { [$0] } ?? [])] }
        for key in ["if", "from", "to", "set", "ignore"] {
            guard let other = table.span(of: key) else { continue }
            collector.error(
                .conflictingKeys, "`cases` and `\(key)` exclude one another", at: span,
                related: [Diagnostic.Label(other)], help: ["write `\(key)` in the cases"])
        }
        return table.tables("cases", .transitionCase).map { inner in
            (inner, [outer, inner.table("let", .caseLet)].compactMap { $0 })
        }
    }

    /// Decodes one entry of `on` or `after`.
    ///
    /// - Parameters:
    ///   - events: the events that it is for; nil for an entry of `after`, whose expressions have no `event`.
    ///   - lets: names for values, the outer ones first.
    /// - Returns: for each event (one element without events): one transition for all cases, or one for each
    ///   case.
    func decodeTransition(
        _ table: TableReader, in cases: CaseScope, events: [EventModel]?,
        cause: TransitionEntry.Cause, _ lets: [TableReader]
    ) -> [[TransitionModel]] {
        let none = [[TransitionModel]](repeating: [], count: events?.count ?? 1)
        let isIgnored = table.boolean("ignore") ?? false
        guard let target = decodeTarget(table) else { return none }
        if isIgnored, let span = table.span(of: "to") ?? table.span(of: "set") {
            let key = table.span(of: "to") == nil ? "set" : "to"
            collector.error(
                .conflictingKeys, "`ignore` and `\(key)` exclude one another", at: table.span(of: "ignore"),
                related: [Diagnostic.Label(span, "this changes the state")])
        }
        entries.append(
            TransitionEntry(
                cause: cause, from: cases.cases, to: isIgnored ? nil : target,
                isConditional: table.node.entry("if") != nil, span: entrySpan(table)))
        let stored = CaseScope(
            of: stateType, cases: target.map { [$0] } ?? cases.cases, key: target == nil ? cases.key : "to")
        let fields = table.table("set", .set).map { stateFields($0, in: stored) } ?? []

        func models(_ cases: CaseScope, from: [Int]?) -> [[TransitionModel]] {
            var scope = scope(in: cases)
            if let events { scope = scope.with(events: events) }
            for table in lets { scope = adding(table, to: scope, events: events) }
            let conditions = manifest.conditions(table, "if", in: scope)
            var assignments = scope.variants.map { _ in [Assignment]() }
            for (field, node) in fields {
                guard let text = manifest.expressionText(node, as: field.type) else { continue }
                let variants = manifest.assignments(text, in: scope) { variant in
                    stored.type(in: target ?? variant.stateCase).field(field.name) ?? field
                }
                guard let variants else { continue }
                for index in variants.indices { assignments[index].append(variants[index]) }
            }
            var result = none
            for (index, variant) in scope.variants.enumerated() {
                result[variant.event ?? 0].append(
                    TransitionModel(
                        from: variant.stateCase.map { [$0] } ?? from.map(Set.init), to: target,
                        condition: conditions[index], assignments: assignments[index],
                        isIgnored: isIgnored, span: table.keySpan))
            }
            return result
        }
        // An entry that uses no field of a case is the same in all cases, so one transition is enough.
        if cases.cases != nil, fields.allSatisfy({ target != nil || stateType.field($0.field.name) != nil }) {
            let any = CaseScope(of: stateType, cases: nil, key: cases.key)
            let (result, faults) = manifest.trying { models(any, from: cases.cases) }
            if faults.isEmpty { return result }
        }
        return models(cases, from: nil)
    }

    /// The span of an entry: its braces if it is an inline table, else its key.
    private func entrySpan(_ table: TableReader) -> SourceSpan {
        table.node.isInline ? table.node.span : table.keySpan
    }

    /// The case that `to` names, `.some(nil)` if the key is absent; nil after a report.
    private func decodeTarget(_ table: TableReader) -> Int?? {
        guard let span = table.span(of: "to") else { return .some(nil) }
        guard let node = table.value("to"), let name = node.string else { return nil }
        guard hasCases else {
            if !manifest.faultyUses.contains(Self.anyField) { needsCases("to", at: span) }
            return nil
        }
        return stateCase(name, at: node.span).map(Optional.some)
    }

    /// The fields of the state that `set` names, in the state's order. Reports fields that some of the cases
    /// lack.
    private func stateFields(
        _ set: TableReader, in cases: CaseScope
    ) -> [(field: RecordType.Field, node: TOMLNode)] {
        let named = set.named.filter { entry in
            if hasCases, entry.key == RecordType.caseField {
                collector.error(
                    .caseInSet, "`set` cannot change the case", at: entry.keySpan,
                    help: ["name the new case with the transition's key `to`, beside `set`"])
                return false
            }
            if reportKeyInSet(entry) { return false }
            guard let fault = cases.fault(ofField: entry.key) else { return true }
            collector.error(.fieldOfOtherCase, fault.message, at: entry.keySpan, help: fault.help)
            return false
        }
        let settable = cases.common.fields.filter { !hasCases || $0.name != RecordType.caseField }
        return fields(
            named, of: set, among: settable, title: "loops.\(name).\(hasCases ? "states" : "state")")
    }

    /// The fields of a record that a table names, in the record's order. Reports unknown fields.
    func fields(
        _ table: TableReader, of record: RecordType, named title: String
    ) -> [(field: RecordType.Field, node: TOMLNode)] {
        fields(table.named, of: table, among: record.fields, title: title)
    }

    private func fields(
        _ entries: [TOMLEntry], of table: TableReader, among fields: [RecordType.Field], title: String
    ) -> [(field: RecordType.Field, node: TOMLNode)] {
        let indices = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
        var found: [(index: Int, node: TOMLNode)] = []
        for entry in entries {
            if let index = indices[entry.key] {
                found.append((index, entry.value))
            } else if manifest.faultyUses.isDisjoint(with: [".\(entry.key)", Self.anyField]) {
                let names = fields.lazy.map(\.name)
                collector.error(
                    .unknownField, "unknown field `\(entry.key)` in `\(table.path.lastPart)`",
                    at: entry.keySpan,
                    label: names.isEmpty ? "`\(title)` has no fields" : "`\(title)` has \(names.quoted)",
                    help: [table.misplacement(of: entry) ?? names.suggestion(for: entry.key)])
            }
        }
        return found.sorted { $0.index < $1.index }.map { (fields[$0.index], $0.node) }
    }
}

extension String {
    /// The part of a path after its last dot.
    var lastPart: Substring { self[(lastIndex(of: ".").map(index(after:)) ?? startIndex)...] }
}
