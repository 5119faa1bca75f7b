import App
import Diagnostics
import Records

extension SwapReport {
    /// The report as a record for programs.
    var json: Value { .record(fields) }

    /// The one field of the record; `pause` is in nanoseconds.
    var fields: [(String, Value)] {
        var fields: [(String, Value)] = [
            ("plugin", .string(plugin)), ("outcome", .string(outcome.rawValue)),
        ]
        if let from { fields.append(("from", .string(from))) }
        if let to { fields.append(("to", .string(to))) }
        if let hash { fields.append(("hash", .string(hash))) }
        if let pause {
            let (seconds, attoseconds) = pause.components
            fields.append(("pause", .int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
        }
        if let state { fields.append(("state", .string(state.rawValue))) }
        if !reasons.isEmpty { fields.append(("reasons", .list(reasons.map(\.json)))) }
        return [("swap", .record(fields))]
    }

    /// The outcome in one line for people: ``swapped `counter` 1.0.0 → 1.1.0``.
    var line: String {
        let versions =
            switch (from, to) {
            case (let from?, let to?): " \(from) → \(to)"
            case (let from?, nil): " \(from)"
            default: ""
            }
        switch outcome {
        case .swapped where state == .fresh:
            return "\(outcome.rawValue) `\(plugin)`\(versions), with a fresh state"
        case .swapped, .unchanged: return "\(outcome.rawValue) `\(plugin)`\(versions)"
        case .refused, .failed, .rolledBack: return "swap of `\(plugin)`\(versions) \(outcome.rawValue)"
        }
    }
}
