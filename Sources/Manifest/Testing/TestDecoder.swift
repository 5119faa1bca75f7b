import Diagnostics
import Records

/// Decodes one entry of `[[tests]]`.
struct TestDecoder {
    private let manifest: ManifestDecoder
    private let table: TableReader
    private let names: LoopNames

    /// - Parameter names: the names in the manifest's loops.
    init(_ manifest: ManifestDecoder, _ table: TableReader, _ names: LoopNames) {
        (self.manifest, self.table, self.names) = (manifest, table, names)
    }

    private var collector: DiagnosticCollector { manifest.collector }

    /// The test; nil after a report, or if its loop has a fault.
    ///
    /// - Parameter faulty: the names of loops with a fault. Their tests cause no further reports.
    func decode(faulty: Set<String>) -> TestModel? {
        let loops = names.loops
        table.missing("name", help: "describe the test: `name = \"…\"`")
        table.missing("expect", help: "name the fields of the last state to compare: `expect = { … }`")
        guard let index = loop(faulty), !faulty.contains(loops[index].name) else { return nil }
        let loop = loops[index]
        var given = loop.initialState
        if let table = table.table("given", .testGiven) { set(table, of: loop, in: &given) }
        let events = table.value("events")?.oneOrSeveral.enumerated().map { event($1, $0, of: index) } ?? []
        var expectations: [TestModel.Expectation] = []
        if let table = table.table("expect", .testExpectation) {
            let type = stateType(table, of: loop)
            for entry in table.named { expect(entry, of: type, [], &expectations) }
        }
        let doubles =
            table.table("effects", .testEffects).map {
                TestDoubleDecoder(manifest, $0, names, of: index).decode()
            } ?? []
        guard let name = table.string("name") else { return nil }
        let sent = events.compactMap { $0 }
        guard sent.count == events.count else { return nil }
        return TestModel(
            name: name, loop: index, given: given, events: sent, doubles: doubles,
            expectations: expectations, span: table.keySpan)
    }

    /// The index of the loop that `loop` names, or of the only loop; nil after a report.
    private func loop(_ faulty: Set<String>) -> Int? {
        let loops = names.loops
        let names = loops.lazy.map(\.name)
        guard let node = table.value("loop"), let name = node.string else {
            if table.isRefused("loop") { return nil }
            if loops.count != 1 {
                collector.error(
                    .missingKey, "`loop` is missing in `[[tests]]`", at: table.keySpan,
                    help: loops.isEmpty ? [] : ["name the loop to test: \(names.quoted)"])
            }
            return loops.count == 1 ? 0 : nil
        }
        if let index = self.names.loop(name) { return index }
        if !faulty.contains(name) {
            collector.error(
                .unknownLoop, "there is no loop `\(name)`", at: node.span,
                label: names.isEmpty ? "the manifest has no loops" : "known loops: \(names.quoted)",
                help: [names.suggestion(for: name)])
        }
        return nil
    }

    /// The fields that `expect` may name. For a state with cases: the fields of the case that the table
    /// names, or the shared fields if it names no case.
    private func stateType(_ table: TableReader, of loop: LoopModel) -> RecordType {
        guard let entry = caseEntry(table, of: loop), let name = entry.value.string,
            let index = loop.stateType.caseIndex(of: name)
        else { return loop.stateType }
        return loop.stateType.narrowed(toCase: index)
    }

    private func caseEntry(_ table: TableReader, of loop: LoopModel) -> TOMLEntry? {
        loop.stateType.cases.isEmpty ? nil : table.named.first { $0.key == RecordType.caseField }
    }

    private func set(_ table: TableReader, of loop: LoopModel, in state: inout Record) {
        var type = loop.stateType
        if let entry = caseEntry(table, of: loop), let value = manifest.value(of: entry.value, as: .string) {
            guard store(value, as: RecordType.caseField, in: &state, entry) else { return }
        }
        if let index = state.caseIndex {
            state = loop.initialStates[index]
            type = type.narrowed(toCase: index)
        }
        for entry in table.named where entry.key != RecordType.caseField || loop.stateType.cases.isEmpty {
            guard let field = field(entry, of: type),
                let value = manifest.value(of: entry.value, as: field.type)
            else { continue }
            store(value, as: field.name, in: &state, entry)
        }
    }

    private func event(_ node: TOMLNode, _ position: Int, of loopIndex: Int) -> TestModel.Event? {
        let loop = names.loops[loopIndex]
        guard node.kind == .table else {
            table.wrongType(node, of: "events", expected: "a table")
            return nil
        }
        let path = "\(table.path).events[\(position)]"
        let reader = TableReader(
            node, .testEvent, path: path, keySpan: node.span, parent: nil, collector: collector)
        guard node.entries.count == 1, let entry = reader.named.first else {
            if node.entries.count != 1 {
                collector.error(
                    .wrongType, "an event must be a table with its name as the only key", at: node.span,
                    help: ["write `{ NAME = { FIELD = … } }`, or `{ NAME = {} }` for one without fields"])
            }
            return nil
        }
        guard let index = names.event(entry.key, of: loopIndex) else {
            let names = loop.events.lazy.map(\.name)
            collector.error(
                .unknownEvent, "loop `\(loop.name)` has no event `\(entry.key)`", at: entry.keySpan,
                label: names.isEmpty ? "it declares no events" : "it has \(names.quoted)",
                help: [names.suggestion(for: entry.key)])
            return nil
        }
        let event = loop.events[index]
        var payload = Record(event.type)
        let fields = reader.reader(of: entry, .testPayload).named
        for entry in fields {
            guard let field = field(entry, of: event.type),
                let value = manifest.value(of: entry.value, as: field.type)
            else { continue }
            store(value, as: field.name, in: &payload, entry)
        }
        if event.delay != nil {
            // A case may have several delays. Without fields, the event means the first of them.
            let due = loop.events.firstIndex {
                $0.name == event.name && (fields.isEmpty || $0.delay?.event == payload)
            }
            guard let due, let delay = loop.events[due].delay else {
                collector.error(
                    .unknownEvent, "loop `\(loop.name)` has no `\(event.name)` with that delay",
                    at: entry.value.span)
                return nil
            }
            return TestModel.Event(index: due, payload: delay.event)
        }
        let given = Set(fields.map(\.key))
        let missing = event.type.fields.filter { !$0.type.isOptional && !given.contains($0.name) }
        if !missing.isEmpty {
            collector.error(
                .missingField, "`\(entry.key)` lacks \(missing.map(\.name).quoted)", at: entry.keySpan,
                related: [Diagnostic.Label(event.span, "declared here")],
                help: ["every field that is not optional must be given: `\(missing[0].name) = …`"])
        }
        return TestModel.Event(index: index, payload: payload)
    }

    /// Adds the expectation of a field; for a record, of each of its fields that the entry names.
    private func expect(
        _ entry: TOMLEntry, of record: RecordType, _ path: [String],
        _ expectations: inout [TestModel.Expectation]
    ) {
        guard let field = field(entry, of: record) else { return }
        if case .record(let inner) = field.type, entry.value.kind == .table {
            for part in entry.value.entries { expect(part, of: inner, path + [field.name], &expectations) }
            return
        }
        var one = Record(RecordType([(field.name, field.type)]))
        guard let value = manifest.value(of: entry.value, as: field.type),
            store(value, as: field.name, in: &one, entry), let stored = one[field.name]
        else { return }
        expectations.append(
            TestModel.Expectation(path: path + [field.name], value: stored, span: entry.value.span))
    }

    private func field(_ entry: TOMLEntry, of record: RecordType) -> RecordType.Field? {
        if let field = record.field(entry.key) { return field }
        if let owner = record.cases.first(where: { $0.field(entry.key) != nil }) {
            collector.error(
                .fieldOfOtherCase, "only some cases have the field `\(entry.key)`", at: entry.keySpan,
                help: ["name the case too: `case = \"\(owner.name)\"`"])
            return nil
        }
        manifest.unknownField(entry, record)
        return nil
    }

    @discardableResult
    private func store(_ value: Value, as name: String, in record: inout Record, _ entry: TOMLEntry) -> Bool {
        do {
            try record.set(name, to: value)
            return true
        } catch {
            let part = entry.value.part(error.path.dropFirst())
            collector.error(.doesNotConvert, error.description, at: part.span)
            return false
        }
    }
}
