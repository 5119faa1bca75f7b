import Diagnostics
import Records

/// Decodes one loop of the manifest.
final class LoopDecoder {
    let manifest: ManifestDecoder
    let table: TableReader
    let name: String
    private(set) var events: [EventModel] = []
    private var eventIndices: [String: Int] = [:]
    // Events whose declaration has a fault. Their uses cause no further reports.
    private(set) var faultyEvents: Set<String> = []
    /// The state; empty until `decodeStates` has read it.
    var states = States()
    /// Cases whose declaration has a fault. Their uses cause no further reports.
    var faultyCases: Set<String> = []
    /// The names in `let`.
    var lets = LetNames()
    /// The entries of `on` and `after`, in the order in which the loop tries them.
    var entries: [TransitionEntry] = []

    init(_ manifest: ManifestDecoder, _ table: TableReader, name: String) {
        (self.manifest, self.table, self.name) = (manifest, table, name)
    }

    var collector: DiagnosticCollector { manifest.collector }

    /// The type of the key; nil for a loop without one, and after a report.
    private(set) lazy var keyKind = table.word(KeyModel.name, as: KeyModel.Kind.self)

    /// The text that every use of the state contains.
    static let anyField = "state."

    /// The fields of the state, and its cases.
    var stateType: RecordType { states.type }

    /// True if the state has cases without faults.
    var hasCases: Bool { !stateType.cases.isEmpty }

    /// State and constants, with the state in any case.
    var scope: ExpressionScope {
        adding(
            letTable, to: ExpressionScope(state: stateType, config: manifest.config.type).with(key: keyField))
    }

    /// The names for values that all expressions of the loop may use.
    private(set) lazy var letTable = table.table("let", .let)

    /// State, constants and time, with the state in some cases.
    func scope(in cases: CaseScope) -> ExpressionScope {
        let place = ScopePlace(cases: cases.cases, key: cases.key)
        if let scope = scopes[place] { return scope }
        let plain = ExpressionScope(cases: cases, config: manifest.config.type).with(key: keyField)
        let scope = adding(letTable, to: plain).withTime
        scopes[place] = scope
        return scope
    }

    /// What a scope of the loop depends on.
    private struct ScopePlace: Hashable {
        let cases: [Int]?
        let key: String?
    }

    // Many transitions and feedbacks have the same scope.
    private var scopes: [ScopePlace: ExpressionScope] = [:]

    /// The scope of a feedback: state, constants and time, in the cases that its `in` names. Nil after a
    /// report.
    func scope(ofFeedback table: TableReader) -> ExpressionScope? {
        guard table.span(of: "in") != nil else { return scopeInAnyCase }
        return caseScope(table, by: "in").map(scope)
    }

    // The scope of all feedbacks without `in`.
    private var scopeInAnyCase: ExpressionScope { scope(in: CaseScope(of: stateType, cases: nil, key: "in")) }

    func decode() -> LoopModel {
        let earlier = collector.errorCount
        manifest.usedBindings = []
        decodeStates()
        let inAnyCase = scopeInAnyCase
        manifest.scopes?.add(inAnyCase, ofLoop: name)
        if let table = table.table("events", .events) { decodeEvents(table) }
        let hasRecords = collector.errorCount == earlier
        // Their contents are decoded where `CaseTables` has written them.
        if let cases = table.table("in", .inCases) {
            for entry in cases.named { _ = cases.reader(of: entry, .inCase) }
        }
        let key = decodeKey(gear: manifest.loopGears[name])
        let reducer = table.value("reducer").flatMap(decodeReducer)
        var transitions = events.map { _ in [TransitionModel]() }
        if let on = table.table("on", .on) { transitions = decodeTransitions(on) }
        let delayed = table.table("after", .after).map(decodeDelays) ?? []
        let until = manifest.conditions(table, "until", in: scope)[0]
        var feedbacks: [FeedbackModel] = []
        if let table = table.table("feedback", .feedbacks) {
            for entry in table.named {
                _ = NameRule.check(entry, "a feedback", collector)
                let decoder = FeedbackDecoder(self, table.reader(of: entry, .feedback), name: entry.key)
                if let feedback = decoder.decode() {
                    feedbacks.append(feedback)
                } else {
                    manifest.faultyFeedbacks[name, default: []].insert(entry.key)
                }
            }
        }
        let receives =
            (key.map(receivesOfOwnGear) ?? []) + (table.table("receive", .receive).map(decodeReceives) ?? [])
        // The effect of a native reducer is unknown, so its loop is not checked.
        if table.value("reducer") == nil { checkTransitions(feedbacks) }
        let loop = LoopModel(
            name: name, initialStates: states.initial, initial: states.first, ranges: states.ranges,
            events: events + delayed.map(\.event), reducer: reducer,
            transitions: transitions + delayed.map(\.transitions),
            isExhaustive: table.boolean("exhaustive") ?? false, feedbacks: feedbacks, receives: receives,
            mailbox: manifest.decodeMailbox(table, .mailbox), isJournaled: isJournaled, key: key,
            until: until, bindings: lets.bindings.count,
            migrations: table.table("migrate", .migrate).map(decodeMigrations) ?? [],
            span: table.keySpan)
        if collector.errorCount == earlier { checkLets() }
        if hasRecords { checkLayouts(of: loop) }
        return loop
    }

    /// The index of the event with a name; nil after a report. It reports nothing about a faulty event.
    func event(_ name: String, at span: SourceSpan, help: String? = nil) -> Int? {
        if let index = eventIndices[name] { return index }
        guard !faultyEvents.contains(name), !table.isRefused("events") else { return nil }
        let names = events.lazy.map(\.name)
        collector.error(
            .unknownEvent, "loop `\(self.name)` has no event `\(name)`", at: span,
            label: names.isEmpty ? "it declares no events" : "it has \(names.quoted)",
            help: [help ?? names.suggestion(for: name)])
        return nil
    }

    /// The events alone, for the gear of a loop with a key.
    func decodeEventsAlone() -> (events: [EventModel], faulty: Set<String>) {
        if let table = table.table("events", .events) { decodeEvents(table) }
        return (events, faultyEvents)
    }

    private func decodeEvents(_ table: TableReader) {
        faultyEvents = table.refused
        for entry in table.named {
            guard NameRule.check(entry, "an event", collector),
                let type = manifest.payload(table.reader(of: entry, .event), fields: .eventField)
            else {
                faultyEvents.insert(entry.key)
                continue
            }
            if let help = table.misplacement(of: entry) {
                collector.warning(
                    .outsideItsTable, "`\(entry.key)` is an event here", at: entry.keySpan, help: [help])
            }
            eventIndices[entry.key] = events.count
            events.append(EventModel(name: entry.key, type: type, span: entry.keySpan))
        }
    }
}
