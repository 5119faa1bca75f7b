import CPluginABI
public import HostLoop

/// What one host offers to the plugins it has loaded: running calls, and the services log, clock, timer and
/// output.
///
/// Several hosts may live in one process. A host keeps its plugins' calls apart by tokens, so that a plugin
/// can do no harm with a call that is over or was never its own. May be used from any thread.
public final class HostServices: Sendable {
    /// What timers go by; its actions may call functions of plugins.
    public let clock: any LoopClock
    let wallTime: @Sendable () -> Int64
    let log: @Sendable (PluginLogLine) -> Void
    let output: @Sendable (String) -> Bool
    let late = LateEmissions()
    /// What became of the versions of plugins that are not used any more.
    public let images = RetiredImages()
    private let generations = Lock<[String: UInt64]>([:])

    /// Offers these services; the functions are called on threads of plugins, several at once.
    ///
    /// - Parameters:
    ///   - clock: what timers and `spin_monotonic` go by. Of the machine's clock it is the one for slow actions, as functions of
    ///     plugins are called.
    ///   - wallTime: nanoseconds since the Unix epoch, what `spin_wall` answers.
    ///   - log: takes one line of a plugin's log, without line end.
    ///   - output: takes one line of the app's data output, without line end; false when it cannot be
    ///     written. Lines must appear in the order of the calls.
    public init(
        clock: any LoopClock, wallTime: @escaping @Sendable () -> Int64,
        log: @escaping @Sendable (PluginLogLine) -> Void, output: @escaping @Sendable (String) -> Bool
    ) {
        self.clock = clock is ContinuousLoopClock ? ContinuousLoopClock.forSlowActions : clock
        self.wallTime = wallTime
        (self.log, self.output) = (log, output)
    }

    /// How many emissions came after their call was finished or cancelled: events that nobody sees.
    ///
    /// Counted until the place of the ended call is used for another one, which is after the ends of 64
    /// others at the earliest.
    public var lateEmissions: Int { late.total }

    /// Begins a call of an effect of `image` that takes `spin_call *`. The call lasts until the plugin ends
    /// it or `cancel` does; until then `sink` is kept.
    ///
    /// - Parameters:
    ///   - effect: its name, for the log.
    ///   - timeout: how long it may take, as the plugin can ask (`spin_deadline`); nil: for ever. The caller keeps to it.
    /// - Throws: `DiagnosticCode.tooManyCalls` when 16 million calls of plugins have not ended.
    public func begin(
        _ sink: any CallSink, for image: PluginImage, effect: String? = nil, timeout: Duration? = nil
    ) throws(PluginError) -> CallToken {
        try begin(sink, for: image, effect: effect, timeout: timeout, in: .shared)
    }

    /// The same in a registry.
    func begin(
        _ sink: any CallSink, for image: PluginImage, effect: String? = nil, timeout: Duration? = nil,
        in registry: HostRegistry
    ) throws(PluginError) -> CallToken {
        let call = CallTable.Call(
            sink: sink, image: image, effect: effect,
            deadline: timeout.map { clock.now.advanced(by: $0).nanoseconds } ?? .max)
        guard let token = registry.calls.withLock({ $0.calls.begin(call) }) else {
            throw PluginError(
                .tooManyCalls,
                "`\(effect ?? image.library)` was not called: too many calls of plugins have not ended",
                help: ["an effect that takes `spin_call *` ends its call with `spin_finish` or `spin_fail`"],
                library: image.library, symbol: effect ?? "")
        }
        return token
    }

    /// Cancels a call: later emissions are answered `SPIN_CANCELLED`, its timers end, and the function that
    /// the plugin registered with `spin_on_cancel` is called, once, before this returns. Nothing when the
    /// call is over.
    ///
    /// Arguments of the call may go when this has returned.
    public func cancel(_ token: CallToken) { HostRegistry.shared.cancel(token) }

    /// The same, and tells whether this was its end: false when it was over before.
    public func takeBack(_ token: CallToken) -> Bool {
        var wasRunning = false
        HostRegistry.shared.cancel(token) { _ in wasRunning = true }
        return wasRunning
    }

    /// True until the call was ended by its plugin or cancelled.
    public func isRunning(_ token: CallToken) -> Bool {
        HostRegistry.shared.calls.withLock { $0.calls.isRunning(token) }
    }

    /// Counts the versions of a plugin that this host has loaded, from 1.
    func nextGeneration(of id: String) -> UInt64 {
        generations.withLock { generations in
            generations[id, default: 0] += 1
            return generations[id]!
        }
    }
}
