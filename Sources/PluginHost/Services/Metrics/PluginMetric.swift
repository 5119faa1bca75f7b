import CPluginABI

/// A metric of a plugin at one moment.
public struct PluginMetric: Hashable, Sendable {
    /// What kind of number it is.
    public enum Kind: String, Sendable {
        /// It only grows.
        case counter
        /// It goes up and down.
        case gauge
        /// It counts values by size.
        case histogram
    }

    /// One label, which tells metrics of one name apart.
    public struct Label: Hashable, Sendable {
        /// The label's name.
        public let name: String
        /// Its value.
        public let value: String

        /// A label and its value.
        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The number.
    public enum Reading: Hashable, Sendable {
        /// Of a counter or a gauge.
        case value(Double)
        /// Of a histogram: the sum of all values, how many there are, and how many are at most each bound. The
        /// bounds ascend. A value that comes meanwhile may be in the buckets and not yet in the sum.
        case histogram(sum: Double, count: UInt64, buckets: [Bucket])
    }

    /// How many values of a histogram are at most `bound`.
    public struct Bucket: Hashable, Sendable {
        /// The greatest value that it counts.
        public let bound: Double
        /// How many values there are, those of all smaller bounds included.
        public let count: UInt64

        /// A count of values.
        public init(bound: Double, count: UInt64) { (self.bound, self.count) = (bound, count) }
    }

    /// The plugin's id; its library if it has no id.
    public let plugin: String
    /// The metric's name, in the form of Prometheus.
    public let name: String
    /// What kind of number it is. All metrics of one name have one kind.
    public let kind: Kind
    /// A sentence for people. All metrics of one name have one.
    public let help: String
    /// The labels, by name.
    public let labels: [Label]
    /// The number.
    public let reading: Reading

    /// Whether a plugin could register it, with its labels and bounds.
    package var isValid: Bool {
        let bounds =
            if case .histogram(_, _, let buckets) = reading { buckets.map(\.bound) } else { [Double]() }
        return MetricText.isName(name, of: kind) && name.utf8.count <= Int(SPIN_METRIC_NAME_AT_MOST)
            && help.utf8.count <= Int(SPIN_METRIC_HELP_AT_MOST)
            && labels.count <= Int(SPIN_METRIC_LABELS_AT_MOST)
            && labels.allSatisfy { label in
                MetricText.isLabel(label.name) && label.name.utf8.count <= Int(SPIN_METRIC_NAME_AT_MOST)
                    && label.value.utf8.count <= Int(SPIN_METRIC_LABEL_AT_MOST)
            } && zip(labels, labels.dropFirst()).allSatisfy { $0.name < $1.name }
            && bounds.count <= MetricCell.mostBounds && bounds.allSatisfy(\.isFinite)
            && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
    }

    package init(
        plugin: String, name: String, kind: Kind, help: String, labels: [Label], reading: Reading
    ) {
        (self.plugin, self.name, self.kind) = (plugin, name, kind)
        (self.help, self.labels, self.reading) = (help, labels, reading)
    }
}
