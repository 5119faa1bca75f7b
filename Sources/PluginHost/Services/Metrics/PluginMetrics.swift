import CPluginABI
import HostLoop

/// The metrics of one host's plugins. May be used from any thread.
///
/// A metric belongs to a plugin's id, so it survives a swap, and stays until the host ends.
public final class PluginMetrics: Sendable {
    /// What a plugin registers, checked.
    struct Request {
        let plugin: String
        let kind: PluginMetric.Kind
        let name: String
        let help: String
        /// By name.
        let labels: [PluginMetric.Label]
        /// The bounds of a histogram; empty for other kinds.
        let bounds: [Double]
    }

    private struct Key: Hashable {
        let plugin: String
        let name: String
        let labels: [PluginMetric.Label]
    }

    /// What all metrics of a name share.
    private struct Family {
        let kind: PluginMetric.Kind
        let help: String
        let bounds: [Double]
    }

    /// Plugins in another process.
    private struct Other {
        weak var owner: (any AnyObject & Sendable)?
        let metrics: @Sendable () -> [PluginMetric]
    }

    private struct State {
        var others: [Other] = []
        var families: [String: Family] = [:]
        var numbers: [Key: UInt64] = [:]

        func count(of plugin: String) -> Int { numbers.keys.count { $0.plugin == plugin } }
    }

    /// The most metrics of a plugin.
    private static let most = Int(SPIN_METRICS_AT_MOST)

    private let state = Lock(State())

    init() {}

    deinit { MetricCell.free(state.withLock { Array($0.numbers.values) }) }

    /// Registers a metric, or finds the one that is registered already.
    ///
    /// - Returns: its number.
    /// - Throws: why the plugin gets no metric.
    func register(_ request: Request) throws(PluginRule) -> UInt64 {
        let key = Key(plugin: request.plugin, name: request.name, labels: request.labels)
        return try state.withLock { state throws(PluginRule) in
            let family = state.families[request.name]
            if let family, family.kind != request.kind || family.bounds != request.bounds {
                throw .otherMetric
            }
            if let number = state.numbers[key] { return number }
            guard state.count(of: request.plugin) < Self.most,
                let number = MetricCell.make(request.kind, bounds: request.bounds)
            else { throw .tooManyMetrics }
            if family == nil {
                state.families[request.name] = Family(
                    kind: request.kind, help: request.help, bounds: request.bounds)
            }
            state.numbers[key] = number
            return number
        }
    }

    /// The name of a metric of this host.
    func name(of number: UInt64) -> String? {
        state.withLock { state in state.numbers.first { $0.value == number }?.key.name }
    }

    /// Asks for the metrics of plugins in another process at each snapshot, as long as `owner` lives.
    package func add(_ owner: any AnyObject & Sendable, _ metrics: @escaping @Sendable () -> [PluginMetric]) {
        state.withLock { state in
            state.others.removeAll { $0.owner == nil }
            state.others.append(Other(owner: owner, metrics: metrics))
        }
    }

    /// All metrics as they are now, by name, plugin and labels.
    public func snapshot() -> [PluginMetric] {
        let state = state.withLock { $0 }
        // All metrics of a name have one kind, also those of other processes.
        var kinds = state.families.mapValues(\.kind)
        let others = state.others.flatMap { $0.owner == nil ? [] : $0.metrics() }.filter { metric in
            if kinds[metric.name] == nil { kinds[metric.name] = metric.kind }
            return kinds[metric.name] == metric.kind
        }
        return
            (others
            + state.numbers.compactMap { key, number in
                guard let family = state.families[key.name], let cell = MetricCell(number: number) else {
                    return nil
                }
                return PluginMetric(
                    plugin: key.plugin, name: key.name, kind: family.kind, help: family.help,
                    labels: key.labels, reading: cell.reading)
            }).sorted { one, other in
                let (names, others) = ((one.name, one.plugin), (other.name, other.plugin))
                return names == others
                    ? one.labels.lexicographicallyPrecedes(other.labels) {
                        ($0.name, $0.value) < ($1.name, $1.value)
                    } : names < others
            }
    }
}
