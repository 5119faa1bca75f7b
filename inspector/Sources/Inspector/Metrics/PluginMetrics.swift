/// The metrics that plugins declare themselves.
struct PluginMetrics {
    private let metrics: [JSON]

    /// - Parameter metrics: the elements of the answer to `metrics`.
    init(_ metrics: [JSON]) { self.metrics = metrics }

    /// Writes them with the additional label `plugin`. A metric is left out if Prometheus does not allow its
    /// name, if the name is reserved for the host, or if another plugin uses it for another kind.
    func write(to text: inout MetricText) {
        for metric in metrics {
            guard let name = metric["name"]?.text, Self.isName(name, allowsColon: true),
                !name.hasPrefix("spinhost_"), !name.hasPrefix("process_"),
                let kind = metric["kind"]?.text.flatMap(MetricText.Kind.init(rawValue:)),
                let plugin = metric["plugin"]?.text
            else { continue }
            let help = metric["help"]?.text ?? ""
            let labels = [("plugin", plugin)] + Self.labels(metric["labels"]?.members ?? [])
            if kind != .histogram {
                guard let value = MetricNumber.text(metric["value"]) else { continue }
                text.add(kind, name, help, labels, value)
            } else if let sum = MetricNumber.text(metric["sum"]), let count = metric["count"]?.digits {
                text.addHistogram(
                    name, help, labels, buckets: Self.buckets(metric["buckets"]?.elements ?? []), sum: sum,
                    count: count)
            }
        }
    }

    private static func labels(_ members: [JSON.Member]) -> MetricText.Labels {
        members.compactMap { member in
            guard isName(member.key, allowsColon: false), !member.key.hasPrefix("__"),
                !["le", "plugin"].contains(member.key),
                let value = member.value.text
            else { return nil }
            return (member.key, value)
        }
    }

    private static func buckets(_ elements: [JSON]) -> [(bound: String, count: String)] {
        elements.compactMap { bucket in
            guard let bound = MetricNumber.text(bucket["le"]), bound != "+Inf",
                let count = bucket["count"]?.digits
            else { return nil }
            return (bound, count)
        }
    }

    private static func isName(_ text: String, allowsColon: Bool) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": true
            case ":": allowsColon
            default: false
            }
        }
    }
}
