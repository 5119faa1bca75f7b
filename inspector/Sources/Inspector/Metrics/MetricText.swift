/// Writes metrics in the text format 0.0.4 of Prometheus.
struct MetricText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// Labels with their values, in the order in which they are written.
    typealias Labels = [(name: String, value: String)]

    private struct Family {
        let kind: Kind
        let help: String
        var lines: [String] = []
    }

    private var names: [String] = []
    private var families: [String: Family] = [:]

    /// The number of series.
    private(set) var series = 0

    /// All families, each with its samples.
    var text: String {
        names.map { name in
            let family = families[name]!
            return "# HELP \(name) \(Self.escaped(family.help, quotes: false))\n"
                + "# TYPE \(name) \(family.kind.rawValue)\n" + family.lines.map { "\($0)\n" }.joined()
        }.joined()
    }

    /// Adds a sample to a counter or a gauge.
    ///
    /// - Parameters:
    ///   - help: the description, for the first sample of that name.
    ///   - value: the number as text.
    /// - Returns: false if the name belongs to another kind of metric, so that the sample is left out.
    @discardableResult
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, _ labels: Labels = [], _ value: String
    ) -> Bool {
        guard open(kind, name, help) else { return false }
        line(name, name, labels, value)
        return true
    }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - buckets: the upper bounds in ascending order, and how many values are at most as great.
    ///   - sum: the sum of all values as text.
    mutating func addHistogram(
        _ name: String, _ help: String, _ labels: Labels, buckets: [(bound: String, count: String)],
        sum: String, count: String
    ) {
        guard open(.histogram, name, help) else { return }
        for bucket in buckets + [("+Inf", count)] {
            line(name, "\(name)_bucket", labels + [("le", bucket.bound)], bucket.count)
        }
        line(name, "\(name)_sum", labels, sum)
        line(name, "\(name)_count", labels, count)
    }

    private mutating func open(_ kind: Kind, _ name: String, _ help: String) -> Bool {
        if let family = families[name] { return family.kind == kind }
        names.append(name)
        families[name] = Family(kind: kind, help: help)
        return true
    }

    private mutating func line(_ family: String, _ name: String, _ labels: Labels, _ value: String) {
        series += 1
        let written = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
        families[family]!.lines.append(
            "\(name)\(written.isEmpty ? "" : "{\(written.joined(separator: ","))}") \(value)")
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
