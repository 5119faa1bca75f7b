import Diagnostics
import Records

extension ManifestDecoder {
    /// The constants of `config` as a record. It leaves out faulty constants and enters them in `faultyUses`.
    func decodeConstants(_ table: TableReader) -> Record {
        let drafts = fieldDrafts(table)
        for draft in drafts where draft.range != nil {
            collector.error(
                .conflictingKeys, "a constant has no `range`", at: draft.entry.value.entry("range")?.keySpan,
                help: ["remove it: `range` limits fields of a state, which change"])
        }
        var record = Record(RecordType(drafts.fields))
        store(drafts, in: &record)
        return record
    }

    /// The fields that a table declares, each by a literal or by a table with `type`. It leaves out faulty
    /// fields and enters them in `faultyUses`.
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

    /// Stores the initial values of fields in a record. Reports values that do not fit or are outside their
    /// range.
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
                "the initial value `\(RangeModel.text(of: value))` of `\(draft.name)` is outside its range",
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

    // If all keys are those of the long form, the user has forgotten `type`.
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
                .malformedRange, "a field of type `\(type.name)` cannot have a `range`", at: node.span,
                help: ["only integers, `f32`, `f64` and durations can have one"])
            return nil
        }
        let ends = node.oneOrSeveral
        guard ends.count == 2 else {
            collector.error(
                .malformedRange, "`range` needs two values, found \(ends.count)", at: node.span,
                help: ["write the least and the greatest value, such as `range = [0, 100]`"])
            return nil
        }
        var values: [Value] = []
        for end in ends {
            guard let value = value(of: end, as: plain) else { return nil }
            // A stored value that is read again has the same kind as the field's values.
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
                .malformedRange, "the range \(model.text) contains no value", at: node.span,
                help: ["write the least value first"])
            return nil
        }
        return (values[0], values[1])
    }
}
