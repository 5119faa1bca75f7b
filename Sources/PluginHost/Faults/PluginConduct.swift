import HostLoop

/// What a plugin does against the rules of `plugin.h`: told in the log, and seldom, however often it happens.
///
/// Outlives the calls of the plugin, as most rules are broken when a call is over.
final class PluginConduct: Sendable {
    /// Where emissions that come too late are counted.
    let late: LateEmissions
    private let tell: @Sendable (String, CallToken?) -> Void
    private let counts = Lock<[PluginRule: Int]>([:])

    init(late: LateEmissions, tell: @escaping @Sendable (String, CallToken?) -> Void) {
        (self.late, self.tell) = (late, tell)
    }

    /// The plugin broke a rule in a call of the effect, if one is known. Told the first, tenth, hundredth … time.
    func broke(_ rule: PluginRule, effect: String?, call: CallToken?) {
        let count = counts.withLock { counts in
            counts[rule, default: 0] += 1
            return counts[rule]!
        }
        guard Self.isTold(count) else { return }
        let place = effect.map { "effect `\($0)`: " } ?? ""
        let times = count > 1 ? " (\(count) times by now)" : ""
        tell("\(place)\(rule.rawValue)\(times)", call)
    }

    private static func isTold(_ count: Int) -> Bool {
        var power = count
        while power % 10 == 0 { power /= 10 }
        return power == 1
    }
}
