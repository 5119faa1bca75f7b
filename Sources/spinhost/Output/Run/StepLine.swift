import App
import Manifest
import Records

/// Formats a step as one line for people.
struct StepLine {
    /// Whether to colour the line with ANSI escapes.
    let color: Bool

    /// `levels  #0  left = 10, right = 20`
    func line(loop: String, step: UInt64 = 0, initial state: Record) -> String {
        let fields = Self.leaves(of: state).map(\.line).joined(separator: ", ")
        return [dim(loop), dim("#\(step)"), fields].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// `levels  #1  left_moved(to: 11)  left 10 → 11  ← left`
    func line(_ step: AppStep) -> String {
        line(
            loop: step.place, step: step.index, step.event, step.payload, from: step.before, to: step.after,
            step.origin)
    }

    /// The same for a step by its parts.
    func line(
        loop: String, step: UInt64, _ event: String, _ payload: Record, from before: Record, to after: Record,
        _ origin: String
    ) -> String {
        line(
            loop: loop, step: step, event, payload.value, changes: Self.changes(from: before, to: after),
            origin)
    }

    /// A step of another process, as `PastStep` writes it.
    func line(_ step: Value) -> String? {
        guard step["loop"] != nil, case .int(let number)? = step["step"],
            case .string(let event)? = step["event"], case .string(let origin)? = step["origin"],
            case .map(let entries)? = step["changed"]
        else { return nil }
        let changes = entries.compactMap { entry -> String? in
            guard case .string(let path) = entry.key, case .list(let values) = entry.value, values.count == 2
            else { return nil }
            let (old, new) = (Leaf(path: path, value: values[0]), Leaf(path: path, value: values[1]))
            if values[1] == .null { return "\(path) \(old.text) → nothing" }
            return values[0] == .null ? new.line : new.change(from: old)
        }
        return line(
            loop: Self.place(step), step: UInt64(clamping: number), event, step["payload"] ?? .map([]),
            changes: changes,
            origin)
    }

    /// The loop that a line is about, with the key of an instance: `order/A17`.
    static func place(_ line: Value) -> String {
        guard case .string(let loop)? = line["loop"] else { return "" }
        return switch line["key"] {
        case nil: loop
        // As `AppStep.place`: a text that could hide or forge output is quoted.
        case .string(let key)?: "\(loop)/\(LoopKey.string(key))"
        case let key?: "\(loop)/\(key.json)"
        }
    }

    private func line(
        loop: String, step: UInt64, _ event: String, _ payload: Value, changes: [String], _ origin: String
    ) -> String {
        var parts = [dim(loop), dim("#\(step)"), bold(event) + Self.arguments(payload)]
        if !changes.isEmpty { parts.append(changes.joined(separator: ", ")) }
        return (parts + [dim("← \(Self.name(origin))")]).joined(separator: "  ")
    }

    private static func name(_ origin: String) -> String {
        origin.hasPrefix("feedback:") ? String(origin.dropFirst(9)) : origin
    }

    /// `levels  –  left_moved(to: 11)  withdrawn  ← left`
    func line(loop: String, refused event: String, _ payload: Record, _ why: String, _ origin: String)
        -> String
    {
        line(loop: loop, refused: event, payload.value, why, origin)
    }

    /// The same for a payload of another process.
    func line(loop: String, refused event: String, _ payload: Value, _ why: String, _ origin: String)
        -> String
    {
        [
            dim(loop), dim("–"), bold(event) + Self.arguments(payload), why, dim("← \(Self.name(origin))"),
        ].joined(separator: "  ")
    }

    /// `levels  –  left_moved(to: 11)  not handled`
    func line(loop: String, unhandled event: String, _ payload: Record) -> String {
        [dim(loop), dim("–"), bold(event) + Self.arguments(payload), "not handled"].joined(separator: "  ")
    }

    /// `levels  #1  left: ran, right: cancelled and ran`
    func line(_ explanation: AppExplanation) -> String {
        let feedbacks = explanation.feedbacks.map { feedback in
            "\(feedback.name): \(feedback.outcomes.map(Self.words).joined(separator: " and "))"
        }
        return [dim(explanation.loop), dim("#\(explanation.step)"), dim(feedbacks.joined(separator: ", "))]
            .joined(separator: "  ")
    }

    private static func words(_ outcome: AppExplanation.Outcome) -> String {
        switch outcome {
        case .rejected: "rejected by `when`"
        case .otherCase: "rejected by `in`"
        default: outcome.rawValue
        }
    }

    static func arguments(_ payload: Record) -> String { arguments(payload.value) }

    static func arguments(_ payload: Value) -> String {
        guard case .map(let entries) = payload, !entries.isEmpty else { return "" }
        let fields = entries.map { entry in
            if case .string(let name) = entry.key {
                "\(name): \(shown(entry.value))"
            } else {
                shown(entry.value)
            }
        }
        return "(\(fields.joined(separator: ", ")))"
    }

    /// The changes of the state: another case, fields with another value, and new fields.
    static func changes(from before: Record, to after: Record) -> [String] {
        changedLeaves(from: before, to: after).map { old, new in old.map { new.change(from: $0) } ?? new.line
        }
    }

    private static func changedLeaves(from before: Record, to after: Record) -> [(old: Leaf?, new: Leaf)] {
        guard !before.sharesStorage(with: after) else { return [] }
        let old = Dictionary(
            leaves(of: before).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        return leaves(of: after).compactMap { new in
            old[new.path]?.value == new.value ? nil : (old[new.path], new)
        }
    }

    /// The changes of the state for programs: by the path of a field, the old value and the new one. A field that one
    /// of the states does not have is null there.
    static func changedFields(from before: Record, to after: Record) -> Value {
        let changed = changedLeaves(from: before, to: after)
            .map { ($0.new.path, [$0.old?.value ?? .null, $0.new.value]) }
        let kept = Set(leaves(of: after).map(\.path))
        let removed =
            before.sharesStorage(with: after)
            ? []
            : leaves(of: before)
                .filter { !kept.contains($0.path) }.map { ($0.path, [$0.value, Value.null]) }
        return .record((changed + removed).map { ($0.0, .list($0.1)) })
    }

    /// The fields that a state does not have any more.
    static func removals(from before: Record, to after: Record) -> [String] {
        let kept = Set(leaves(of: after).map(\.path))
        return leaves(of: before).filter { !kept.contains($0.path) }.map { "\($0.path) \($0.text) → nothing" }
    }

    /// A part of a state that is shown separately: a scalar, a list, or the case.
    private struct Leaf {
        let path: String
        let value: Value

        /// `left = 10`; for the case, its name.
        var line: String { isCase ? text : "\(path) = \(text)" }

        /// `left 10 → 11`; for the case, `playing → muted`.
        func change(from old: Leaf) -> String { (isCase ? "" : "\(path) ") + "\(old.text) → \(text)" }

        // No field has this name, because `case` is reserved.
        private var isCase: Bool { path == RecordType.caseField }

        var text: String {
            if isCase, case .string(let name) = value { name } else { StepLine.shown(value) }
        }
    }

    private static func leaves(of state: Record) -> [Leaf] { leaves(state.value, "") }

    /// The fields of a record, nested ones by their path.
    private static func leaves(_ value: Value, _ path: String) -> [Leaf] {
        guard case .map(let entries) = value else { return [Leaf(path: path, value: value)] }
        return entries.flatMap { entry in
            guard case .string(let name) = entry.key else { return leaves(entry.value, path) }
            return leaves(entry.value, path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// The JSON of a value, cut after 80 characters.
    static func shown(_ value: Value) -> String {
        // Secrets are replaced before the cut, because a part of a secret would not be recognised.
        let text = Redaction.redacted(value.json)
        return text.count <= 80 ? text : text.prefix(79) + "…"
    }

    /// A line in the background: `door  feedback:again run 3  began by tick`
    func aside(_ parts: String...) -> String { dim(parts.joined(separator: "  ")) }

    /// A line that asks for attention.
    func alarm(_ text: String) -> String { color ? "\u{1B}[31m\(text)\u{1B}[0m" : text }

    private func dim(_ text: String) -> String { color ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    private func bold(_ text: String) -> String { color ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
