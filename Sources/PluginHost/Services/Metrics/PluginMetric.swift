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

    /// Whether a plugin could register it under its name, with its labels.
    package var hasValidNames: Bool {
        MetricText.isName(name, of: kind) && labels.allSatisfy { MetricText.isLabel($0.name) }
    }

    package init(
        plugin: String, name: String, kind: Kind, help: String, labels: [Label], reading: Reading
    ) {
        (self.plugin, self.name, self.kind) = (plugin, name, kind)
        (self.help, self.labels, self.reading) = (help, labels, reading)
    }
}
