import CPluginABI
import PluginHost
import Records

/// The metrics of a worker's plugin.
enum MetricsMessage {
    private static let kinds: [PluginMetric.Kind] = [.counter, .gauge, .histogram]

    static func write(_ metrics: [PluginMetric], to writer: ByteWriter) {
        writer.put(count: metrics.count)
        for metric in metrics {
            writer.put(metric.name)
            writer.put(byte: UInt8(kinds.firstIndex(of: metric.kind)!))
            writer.put(metric.help)
            writer.put(count: metric.labels.count)
            for label in metric.labels {
                writer.put(label.name)
                writer.put(label.value)
            }
            switch metric.reading {
            case .value(let value): writer.put(fixed: value.bitPattern)
            case .histogram(let sum, let count, let buckets):
                writer.put(fixed: sum.bitPattern)
                writer.put(count)
                writer.put(count: buckets.count)
                for bucket in buckets {
                    writer.put(fixed: bucket.bound.bitPattern)
                    writer.put(bucket.count)
                }
            }
        }
    }

    /// Reads the metrics of a plugin.
    ///
    /// - Throws: also for a metric that no plugin can register.
    static func read(_ reader: inout ByteReader, plugin: String) throws(DamagedBytes) -> [PluginMetric] {
        var metrics: [PluginMetric] = []
        for _ in 0..<(try reader.number(upTo: Int(SPIN_METRICS_AT_MOST))) {
            let (name, kind) = (try reader.text(), kinds[try reader.index(below: kinds.count)])
            let help = try reader.text()
            var labels: [PluginMetric.Label] = []
            for _ in 0..<(try reader.number(upTo: Int(SPIN_METRIC_LABELS_AT_MOST))) {
                labels.append(PluginMetric.Label(name: try reader.text(), value: try reader.text()))
            }
            let reading: PluginMetric.Reading
            let value = Double(bitPattern: try reader.fixed())
            if kind == .histogram {
                let count = try reader.number()
                var buckets: [PluginMetric.Bucket] = []
                for _ in 0..<(try reader.count()) {
                    buckets.append(
                        PluginMetric.Bucket(
                            bound: Double(bitPattern: try reader.fixed()), count: try reader.number()))
                }
                reading = .histogram(sum: value, count: count, buckets: buckets)
            } else {
                reading = .value(value)
            }
            let metric = PluginMetric(
                plugin: plugin, name: name, kind: kind, help: help, labels: labels, reading: reading)
            guard metric.isValid else { throw DamagedBytes("a metric is not valid") }
            metrics.append(metric)
        }
        return metrics
    }
}
