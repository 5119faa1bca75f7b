import Diagnostics
import Records

extension LoopDecoder {
    /// The greatest number of cases. It bounds the size of tables by case and event.
    static let maximumCases = 256

    /// The state as far as it is decoded.
    struct States {
        /// One initial state for each case; exactly one for a state without cases.
        var initial = [Record(RecordType([]))]
        /// The state in which the loop starts, as an index into `initial`.
        var first = 0
        var ranges: [RangeModel] = []
        /// The spans of the cases' keys.
        var caseSpans: [SourceSpan] = []

        var type: RecordType { initial[0].type }
    }

    /// Decodes `state`, or `states` with `initial` and `shared`.
    func decodeStates() {
        if table.isRefused("state") || table.isRefused("states") { manifest.faultyUses.insert(Self.anyField) }
        guard let cases = table.table("states", .states) else {
            for key in ["initial", "shared", "after", "in"] where !table.isRefused("states") {
                if let span = table.span(of: key) { needsCases(key, at: span) }
            }
            let state = table.table("state", .state)
            guard state != nil || keyKind != nil else { return }
            let drafts = keyDrafts + withoutKey(state.map(manifest.fieldDrafts) ?? [])
            states.initial = [Record(RecordType(drafts.fields))]
            manifest.store(drafts, in: &states.initial[0])
            states.ranges = ranges(of: drafts, in: stateType.fields, stateCase: nil)
            checkAddresses(drafts)
            return
        }
        if let span = table.span(of: "state") {
            collector.error(
                .conflictingKeys, "`state` and `states` exclude one another", at: span,
                related: [Diagnostic.Label(cases.keySpan, "these are its cases")],
                help: ["move the fields that every case has to `shared`"])
        }
        decodeCases(cases)
    }

    /// Reports a key that only a state with cases can have.
    func needsCases(_ key: String, at span: SourceSpan) {
        collector.error(
            .needsCases, "`\(key)` needs a state with cases", at: span,
            help: ["declare them: `states = { on = {}, off = {} }` with `initial = \"off\"`"])
    }

    /// The index of the case with a name; nil after a report. It reports nothing about a faulty case.
    func stateCase(_ name: String, at span: SourceSpan) -> Int? {
        if let index = stateType.caseIndex(of: name) { return index }
        guard !faultyCases.contains(name), !manifest.faultyUses.contains(Self.anyField) else { return nil }
        collector.unknownCase(name, of: self.name, among: stateType.cases.map(\.name), at: span)
        return nil
    }

    /// The cases that a table's `from` or `in` names, a string or several; any case if the key is absent.
    ///
    /// - Returns: the scope of the state's fields; nil after a report, when expressions of the table cannot
    ///   be checked.
    func caseScope(_ table: TableReader, by key: String) -> CaseScope? {
        guard table.span(of: key) != nil else { return CaseScope(of: stateType, cases: nil, key: key) }
        guard let names = table.strings(key), let node = table.value(key) else { return nil }
        guard hasCases else {
            if !manifest.faultyUses.contains(Self.anyField), let span = table.span(of: key) {
                needsCases(key, at: span)
            }
            return nil
        }
        if names.isEmpty, node.oneOrSeveral.isEmpty {
            collector.error(
                .missingField, "`\(key)` names no case", at: node.span,
                help: ["leave `\(key)` out for all cases, or name one"])
        }
        var cases: [Int] = []
        for (name, node) in names {
            guard let index = stateCase(name, at: node.span) else { continue }
            if cases.contains(index) {
                collector.error(.definedTwice, "case `\(name)` is named twice in `\(key)`", at: node.span)
            } else {
                cases.append(index)
            }
        }
        guard !cases.isEmpty, cases.count == node.oneOrSeveral.count else { return nil }
        return CaseScope(of: stateType, cases: cases, key: key)
    }

    private func decodeCases(_ table: TableReader) {
        var shared = keyDrafts
        if let table = self.table.table("shared", .shared) {
            shared += withoutKey(manifest.fieldDrafts(table))
        }
        if self.table.isRefused("shared") { manifest.faultyUses.insert(Self.anyField) }
        var cases: [(name: String, drafts: [FieldDraft], span: SourceSpan)] = []
        faultyCases = table.refused
        for entry in table.named {
            guard NameRule.check(entry, "a case", collector) else {
                faultyCases.insert(entry.key)
                continue
            }
            let drafts = manifest.fieldDrafts(table.reader(of: entry, .stateCase))
            cases.append((entry.key, without(shared, drafts, ofCase: entry.key), entry.keySpan))
        }
        if cases.count > Self.maximumCases {
            collector.error(
                .tooManyCases, "a state can have at most \(Self.maximumCases) cases, found \(cases.count)",
                at: table.keySpan)
            cases.removeLast(cases.count - Self.maximumCases)
            manifest.faultyUses.insert(Self.anyField)
        }
        guard !cases.isEmpty else {
            if table.named.isEmpty, table.refused.isEmpty {
                collector.error(
                    .missingField, "`states` names no case", at: table.keySpan,
                    help: ["name each case and its fields: `states = { on = {}, off = {} }`"])
            }
            manifest.faultyUses.insert(Self.anyField)
            return
        }
        makeStates(of: cases, shared: shared)
        self.table.missing(
            "initial", help: "name the case in which the loop starts: `initial = \"\(cases[0].name)\"`")
        if let node = self.table.value("initial"), let name = node.string {
            states.first = stateCase(name, at: node.span) ?? 0
        }
    }

    /// The fields of a case, without those that have the name of a shared field. Reports them.
    private func without(
        _ shared: [FieldDraft], _ drafts: [FieldDraft], ofCase name: String
    ) -> [FieldDraft] {
        drafts.filter { draft in
            guard let other = shared.first(where: { $0.name == draft.name }) else { return true }
            collector.error(
                .fieldInSharedAndCase, "field `\(draft.name)` of case `\(name)` is a shared field already",
                at: draft.entry.keySpan,
                related: [Diagnostic.Label(other.entry.keySpan, "shared by all cases here")],
                help: ["every case has the shared fields: remove this field, or give it another name"])
            return false
        }
    }

    private func makeStates(
        of cases: [(name: String, drafts: [FieldDraft], span: SourceSpan)], shared: [FieldDraft]
    ) {
        let type = RecordType(cases: cases.map { ($0.name, $0.drafts.fields) }, shared: shared.fields)
        var first = Record(type)
        manifest.store(shared, in: &first)
        states.initial = cases.enumerated().map { index, stateCase in
            var record = first
            record.changeCase(to: index)
            manifest.store(stateCase.drafts, in: &record)
            return record
        }
        states.ranges = ranges(of: shared, in: type.fields, stateCase: nil)
        for (index, stateCase) in cases.enumerated() {
            states.ranges += ranges(of: stateCase.drafts, in: type.cases[index].fields, stateCase: index)
        }
        states.caseSpans = cases.map(\.span)
        checkAddresses(shared + cases.flatMap(\.drafts))
    }

    private func ranges(
        of drafts: [FieldDraft], in fields: [RecordType.Field], stateCase: Int?
    ) -> [RangeModel] {
        drafts.compactMap { draft in
            guard let range = draft.range, let field = fields.first(where: { $0.name == draft.name }) else {
                return nil
            }
            return RangeModel(
                field: field, stateCase: stateCase, lower: range.lower, upper: range.upper)
        }
    }
}
