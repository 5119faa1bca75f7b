import PluginHost
import Records

extension PluginMetric {
    /// The metric as an object, as docs/control.md describes it.
    var json: Value {
        var fields: [(String, Value)] = [
            ("plugin", .string(plugin)), ("name", .string(name)), ("kind", .string(kind.rawValue)),
            ("help", .string(help)), ("labels", .record(labels.map { ($0.name, .string($0.value)) })),
        ]
        switch reading {
        case .value(let value): fields.append(("value", .double(value)))
        case .histogram(let sum, let count, let buckets):
            fields += [
                ("sum", .double(sum)), ("count", .uint(count)),
                (
                    "buckets",
                    .list(buckets.map { .record([("le", .double($0.bound)), ("count", .uint($0.count))]) })
                ),
            ]
        }
        return .record(fields)
    }
}
