import App
import Records

extension SettingsReport {
    /// The line for people.
    var line: String {
        switch outcome {
        case .accepted: "`\(instance)` has taken over its changed settings"
        case .renewed:
            "`\(instance)` was made again with its changed settings" + (reason.map { ": \($0)" } ?? "")
        }
    }

    /// The record for programs.
    var value: Value {
        var fields: [(String, Value)] = [
            ("instance", .string(instance)), ("outcome", .string(outcome.rawValue)),
        ]
        if let reason { fields.append(("reason", .string(reason))) }
        return .record(fields)
    }
}
