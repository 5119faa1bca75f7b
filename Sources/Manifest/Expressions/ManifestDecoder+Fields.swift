import Diagnostics
import Records

extension ManifestDecoder {
    /// The constants of `config`: a record with their values, without those that are at fault (`faultyUses`).
    func decodeConstants(_ table: TableReader) -> Record {
        let drafts = fieldDrafts(table)
        for draft in drafts where draft.range != nil {
            collector.error(
                .conflictingKeys, "a constant has no `range`", at: draft.entry.value.entry("range")?.keySpan,
                help: ["`range` is for fields of a state, which change"])
        }
        var record = Record(RecordType(drafts.fields))
        store(drafts, in: &record)
        return record
    }

    /// Fields by literal, or by a table with `type` and perhaps `initial`, without those that are at fault
    /// (`faultyUses`).
    func fieldDrafts(_ table: TableReader) -> [FieldDraft] {
        table.named.compactMap { entry in
            guard NameRule.checkField(entry, collector), let draft = fieldDraft(entry, in: table) else {
                faultyUses.insert(".\(entry.key)")
                return nil
            }
            if let help = table.misplacement(of: entry) {
                collector.warning(
                    .outsideItsTable, "`\(entry.key)` is a field here", at: entry.keySpan, help: [help])
            }
            return draft
        }
    }

    /// Stores the first values of fields into a record that has them; reports those that do not fit, or lie outside of
    /// their range.
    func store(_ drafts: [FieldDraft], in record: inout Record) {
        for draft in drafts {
            if let value = draft.initial {
                do { try record.set(draft.name, to: value) } catch {
                    collector.error(
                        .doesNotConvert, error.description,
                        at: draft.initialNode.part(error.path.dropFirst()).span)
                    continue
                }
            }
            guard let range = draft.range, let field = record.field(draft.name),
                let value = record[draft.name]
            else { continue }
            let model = RangeModel(field: field, stateCase: nil, lower: range.lower, upper: range.upper)
            guard !model.contains(value) else { continue }
            collector.error(
                .outsideRange,
                "the initial value `\(RangeModel.text(of: value))` of `\(draft.name)` lies outside of its range",
                at: draft.initialNode.span, label: "the range is \(model.text)",
                help: draft.initial == nil
                    ? ["write `initial = \(range.lower.json)`, or another value of the range"] : [])
        }
    }

    private func fieldDraft(_ entry: TOMLEntry, in table: TableReader) -> FieldDraft? {
        if readsSecrets, Self.isSecret(entry.value) {
            secretConstants.insert(entry.key)
            return secret(entry.value, name: entry.key, at: entry.keySpan).map {
                FieldDraft(name: entry.key, type: $0.type, initial: $0.value, range: nil, entry: entry)
            }
        }
        guard entry.value.kind == .table, entry.value.entry("type") != nil || isLongForm(entry.value) else {
            return literal(entry.value, name: entry.key, depth: 0).map {
                FieldDraft(name: entry.key, type: $0.type, initial: $0.value, range: nil, entry: entry)
            }
        }
        let field = table.reader(of: entry, .stateField)
        field.missing("type")
        guard let node = field.value("type"), let type = type(node) else { return nil }
        var initial: Value?
        if let node = field.value("initial") {
            guard let value = value(of: node, as: type) else { return nil }
            initial = value
        }
        return FieldDraft(
            name: entry.key, type: type, initial: initial,
            range: field.value("range").flatMap { range($0, of: type) }, entry: entry)
    }

    // A table with only the words of the long form and without `type` is one whose type was forgotten.
    private func isLongForm(_ node: TOMLNode) -> Bool {
        !node.entries.isEmpty && node.entries.allSatisfy { ["initial", "doc", "range"].contains($0.key) }
    }

    /// `range = [least, greatest]`; nil after a report.
    private func range(_ node: TOMLNode, of type: ValueType) -> (lower: Value, upper: Value)? {
        let plain = if case .optional(let wrapped) = type { wrapped } else { type }
        switch plain {
        case .integer, .float, .double, .duration: break
        default:
            collector.error(
                .malformedRange, "a field of type `\(type.name)` has no `range`", at: node.span,
                help: ["ranges are for integers, `f32`, `f64` and durations"])
            return nil
        }
        let ends = node.oneOrSeveral
        guard ends.count == 2 else {
            collector.error(
                .malformedRange, "`range` wants two values, not \(ends.count)", at: node.span,
                help: ["write the least and the greatest value, such as `range = [0, 100]`"])
            return nil
        }
        var values: [Value] = []
        for end in ends {
            guard let value = value(of: end, as: plain) else { return nil }
            // Stored and read again it is of the kind that the field's values have.
            var record = Record(RecordType([("end", plain)]))
            do { try record.set("end", to: value) } catch {
                collector.error(.doesNotConvert, error.message, at: end.span)
                return nil
            }
            if let stored = record["end"] { values.append(stored) }
        }
        let model = RangeModel(
            field: RecordType([("end", plain)]).fields[0], stateCase: nil, lower: values[0], upper: values[1])
        guard model.contains(values[0]) else {
            collector.error(
                .malformedRange, "no value lies in the range \(model.text)", at: node.span,
                help: ["the least value stands first"])
            return nil
        }
        return (values[0], values[1])
    }
}
