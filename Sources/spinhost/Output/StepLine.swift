import App
import Records

/// A step as one line for people.
struct StepLine {
    /// Whether to colour the line with ANSI escapes.
    let color: Bool

    /// `levels  #0  left = 10, right = 20`
    func line(loop: String, initial state: Record) -> String {
        let fields = Self.leaves(state.value, "").map { "\($0.path) = \($0.text)" }.joined(separator: ", ")
        return [dim(loop), dim("#0"), fields].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// `levels  #1  left_moved(to: 11)  left 10 → 11  ← left`
    func line(_ step: AppStep) -> String {
        var parts = [dim(step.loop), dim("#\(step.index)"), bold(step.event) + Self.arguments(step.payload)]
        let changes = Self.changes(from: step.before, to: step.after)
        if !changes.isEmpty { parts.append(changes.joined(separator: ", ")) }
        let name = step.origin.hasPrefix("feedback:") ? String(step.origin.dropFirst(9)) : step.origin
        return (parts + [dim("← \(name)")]).joined(separator: "  ")
    }

    /// `levels  –  left_moved(to: 11)  not handled`
    func line(loop: String, unhandled event: String, _ payload: Record) -> String {
        [dim(loop), dim("–"), bold(event) + Self.arguments(payload), "not handled"].joined(separator: "  ")
    }

    private static func arguments(_ payload: Record) -> String {
        guard case .map(let entries) = payload.value, !entries.isEmpty else { return "" }
        let fields = entries.map { entry in
            if case .string(let name) = entry.key {
                "\(name): \(shown(entry.value))"
            } else {
                shown(entry.value)
            }
        }
        return "(\(fields.joined(separator: ", ")))"
    }

    private static func changes(from before: Record, to after: Record) -> [String] {
        guard !before.sharesStorage(with: after) else { return [] }
        return zip(leaves(before.value, ""), leaves(after.value, "")).compactMap { old, new in
            old.value == new.value ? nil : "\(new.path) \(old.text) → \(new.text)"
        }
    }

    /// The fields of a record, nested ones by their path; lists and scalars are leaves.
    private static func leaves(_ value: Value, _ path: String) -> [(path: String, value: Value, text: String)]
    {
        guard case .map(let entries) = value else { return [(path, value, shown(value))] }
        return entries.flatMap { entry in
            guard case .string(let name) = entry.key else { return leaves(entry.value, path) }
            return leaves(entry.value, path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// JSON, cut to what fits a line.
    private static func shown(_ value: Value) -> String {
        let text = value.json
        return text.count <= 80 ? text : text.prefix(79) + "…"
    }

    private func dim(_ text: String) -> String { color ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    private func bold(_ text: String) -> String { color ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
