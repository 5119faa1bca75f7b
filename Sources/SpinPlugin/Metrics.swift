import CPluginABI

/// Numbers for the person who runs the app: counters, gauges and histograms, as Prometheus knows them.
///
/// ```swift
/// let received = Metrics.Counter("serial_bytes_total", "Bytes of the line.", ["direction": "in"])
/// received.add(12)
/// ```
/// A plugin makes each metric once, usually with its instance. Making it again, also in a new version of the plugin,
/// gives the same one. Names, labels and limits are those of `spinhost/services/metrics.h`. The host refuses others:
/// it logs the reason, and the metric counts nothing. Any thread may use a metric.
public enum Metrics {
    /// A number that only grows. Its name ends with `_total`.
    public struct Counter: Hashable, Sendable {
        let number: spin_metric

        /// Registers a counter, or finds it.
        public init(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) {
            // Safe because the host copies the texts before it returns.
            number = unsafe Metrics.with(name, help, labels) { name, help, labels, count in
                unsafe spin_register_counter(name, help, labels, count)
            }
        }

        /// Adds a finite amount that is not negative.
        ///
        /// - Returns: `.badValue` for another amount, and for a metric that the host has refused.
        @discardableResult
        public func add(_ amount: Double = 1) -> Status { Status(rawValue: spin_metric_add(number, amount)) }
    }

    /// A number that goes up and down.
    public struct Gauge: Hashable, Sendable {
        let number: spin_metric

        /// Registers a gauge, or finds it.
        public init(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) {
            // Safe because the host copies the texts before it returns.
            number = unsafe Metrics.with(name, help, labels) { name, help, labels, count in
                unsafe spin_register_gauge(name, help, labels, count)
            }
        }

        /// Adds a finite amount.
        ///
        /// - Returns: `.badValue` for another amount, and for a metric that the host has refused.
        @discardableResult
        public func add(_ amount: Double) -> Status { Status(rawValue: spin_metric_add(number, amount)) }

        /// Sets it to any value, also to infinity or NaN.
        ///
        /// - Returns: `.badValue` for a metric that the host has refused.
        @discardableResult
        public func set(_ value: Double) -> Status { Status(rawValue: spin_metric_set(number, value)) }
    }

    /// Counts values by size.
    public struct Histogram: Hashable, Sendable {
        let number: spin_metric

        /// Registers a histogram, or finds it.
        ///
        /// - Parameter bounds: 1 to 32 finite numbers that ascend; nil for bounds that suit seconds.
        public init(
            _ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:],
            bounds: [Double]? = nil
        ) {
            // Safe because the host copies texts and bounds before it returns.
            number = unsafe Metrics.with(name, help, labels) { name, help, labels, count in
                guard let bounds else {
                    return unsafe spin_register_histogram(name, help, labels, count, nil, 0)
                }
                return unsafe spin_register_histogram(name, help, labels, count, bounds, bounds.count)
            }
        }

        /// Adds a finite value.
        ///
        /// - Returns: `.badValue` for another value, and for a metric that the host has refused.
        @discardableResult
        public func observe(_ value: Double) -> Status {
            Status(rawValue: spin_metric_observe(number, value))
        }
    }

    private static func with(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>,
        _ register: (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<UnsafePointer<CChar>?>?, Int
        ) -> spin_metric
    ) -> spin_metric {
        // Safe because there are two texts more than those of the labels.
        unsafe CTexts.with([name, help] + labels.flatMap { [$0.key, $0.value] }) { texts in
            unsafe register(texts[0], texts[1], texts.baseAddress! + 2, labels.count)
        }
    }
}
