import CPluginABI

/// The functions of `spin_metrics_service`.
// Safe because the functions look up or check every argument before they use it.
enum MetricsService {
    static func counter(
        _ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?,
        _ labels: UnsafePointer<UnsafePointer<CChar>?>?, _ labelCount: Int
    ) -> UInt64 {
        unsafe register(host, .counter, name, help, labels, labelCount) { _ in [] }
    }

    static func gauge(
        _ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?,
        _ labels: UnsafePointer<UnsafePointer<CChar>?>?, _ labelCount: Int
    ) -> UInt64 {
        unsafe register(host, .gauge, name, help, labels, labelCount) { _ in [] }
    }

    static func histogram(
        _ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?, _ help: UnsafePointer<CChar>?,
        _ labels: UnsafePointer<UnsafePointer<CChar>?>?, _ labelCount: Int, _ bounds: UnsafePointer<Double>?,
        _ boundCount: Int
    ) -> UInt64 {
        unsafe register(host, .histogram, name, help, labels, labelCount) { isGuarded in
            unsafe MetricText.bounds(bounds, boundCount, isGuarded: isGuarded)
        }
    }

    private static func register(
        _ host: UnsafePointer<spin_host>?, _ kind: PluginMetric.Kind, _ name: UnsafePointer<CChar>?,
        _ help: UnsafePointer<CChar>?, _ labels: UnsafePointer<UnsafePointer<CChar>?>?, _ labelCount: Int,
        bounds: (_ isGuarded: Bool) -> [Double]?
    ) -> UInt64 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return 0 }
        let isGuarded = image.isGuarded
        let named = unsafe PluginArguments.text(name, upTo: SPIN_METRIC_NAME_AT_MOST, isGuarded: isGuarded)
        func refused(_ rule: PluginRule) -> UInt64 {
            image.conduct.broke(rule, effect: nil, metric: named, call: nil)
            return 0
        }
        guard let name = named, MetricText.isName(name, of: kind),
            let help = unsafe PluginArguments.text(help, upTo: SPIN_METRIC_HELP_AT_MOST, isGuarded: isGuarded)
        else { return refused(.badMetricName) }
        guard let labels = unsafe MetricText.labels(labels, labelCount, isGuarded: isGuarded) else {
            return refused(.badLabel)
        }
        guard let bounds = bounds(isGuarded) else { return refused(.badBounds) }
        let request = PluginMetrics.Request(
            plugin: image.id, kind: kind, name: name, help: help, labels: labels, bounds: bounds)
        do { return try image.services.metrics.register(request) } catch { return refused(error) }
    }

    static func add(_ host: UnsafePointer<spin_host>?, _ metric: UInt64, _ amount: Double) -> Int32 {
        guard let cell = MetricCell(number: metric) else { return unsafe broke(.unknownMetric, host, metric) }
        let kind = cell.kind
        guard kind != .histogram else { return unsafe broke(.wrongMetric, host, metric) }
        guard amount.isFinite, amount >= 0 || kind == .gauge else {
            return unsafe broke(.badAmount, host, metric)
        }
        cell.add(amount)
        return SPIN_OK
    }

    static func set(_ host: UnsafePointer<spin_host>?, _ metric: UInt64, _ value: Double) -> Int32 {
        guard let cell = MetricCell(number: metric) else { return unsafe broke(.unknownMetric, host, metric) }
        guard cell.kind == .gauge else { return unsafe broke(.wrongMetric, host, metric) }
        cell.set(value)
        return SPIN_OK
    }

    static func observe(_ host: UnsafePointer<spin_host>?, _ metric: UInt64, _ value: Double) -> Int32 {
        guard let cell = MetricCell(number: metric) else { return unsafe broke(.unknownMetric, host, metric) }
        guard cell.kind == .histogram else { return unsafe broke(.wrongMetric, host, metric) }
        guard value.isFinite else { return unsafe broke(.badAmount, host, metric) }
        cell.observe(value)
        return SPIN_OK
    }

    private static func broke(
        _ rule: PluginRule, _ host: UnsafePointer<spin_host>?, _ metric: UInt64
    ) -> Int32 {
        guard metric != 0, let image = unsafe HostRegistry.shared.image(of: host) else {
            return SPIN_BAD_VALUE
        }
        let name = image.services.metrics.name(of: metric)
        image.conduct.broke(rule, effect: nil, metric: name, call: nil)
        return SPIN_BAD_VALUE
    }
}
