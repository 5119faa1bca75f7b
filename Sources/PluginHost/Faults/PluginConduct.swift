import HostLoop

/// Logs what a plugin does against the rules of `plugin.h`, seldom, however often it happens.
///
/// It outlives the calls of the plugin, because most rules are broken after the end of a call.
final class PluginConduct: Sendable {
    /// Counts emissions that come too late.
    let late: LateEmissions
    private let report: @Sendable (String, CallToken?) -> Void
    private let counts = Lock<[PluginRule: Int]>([:])

    init(late: LateEmissions, report: @escaping @Sendable (String, CallToken?) -> Void) {
        (self.late, self.report) = (late, report)
    }

    /// The plugin broke a rule in a call of the effect, if one is known, or with a metric. The 1st, 10th, 100th …
    /// time is logged.
    func broke(_ rule: PluginRule, effect: String?, metric: String? = nil, call: CallToken?) {
        let count = counts.withLock { counts in
            counts[rule, default: 0] += 1
            return counts[rule]!
        }
        guard Self.isReported(count) else { return }
        let place = effect.map { "effect `\($0)`: " } ?? metric.map { "metric `\($0)`: " } ?? ""
        let times = count > 1 ? " (\(count) times by now)" : ""
        report("\(place)\(rule.rawValue)\(times)", call)
    }

    private static func isReported(_ count: Int) -> Bool {
        var power = count
        while power % 10 == 0 { power /= 10 }
        return power == 1
    }
}
