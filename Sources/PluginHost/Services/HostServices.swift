import CPluginABI
public import HostLoop

/// The services of one host for its loaded plugins: calls, log, clock, timers and output.
///
/// A process may have several hosts. Tokens identify calls, so a plugin does no harm with a call that is over
/// or not its own. May be used from any thread.
public final class HostServices: Sendable {
    /// The clock of timers. Its actions may call functions of plugins.
    public let clock: any LoopClock
    let wallTime: @Sendable () -> Int64
    let log: @Sendable (PluginLogLine) -> Void
    let output: @Sendable (String) -> Bool
    let late = LateEmissions()
    /// The metrics that plugins have registered.
    public let metrics = PluginMetrics()
    /// The function tables that plugins publish for each other.
    let tables = PublishedTables()
    /// The counts of retired plugin versions.
    public let images = RetiredImages()
    private let generations = Lock<[String: UInt64]>([:])

    /// Makes the services of a host. The functions are called on threads of plugins, several at a time.
    ///
    /// - Parameters:
    ///   - clock: the clock of timers and `spin_monotonic`. A `ContinuousLoopClock` is replaced by the one
    ///     for slow actions, as timers call functions of plugins.
    ///   - wallTime: returns nanoseconds since the Unix epoch, for `spin_wall`.
    ///   - log: takes one line of a plugin's log, without line end.
    ///   - output: takes one line of the app's output, without line end. It returns false if the line cannot
    ///     be written. Lines must appear in the order of the calls.
    public init(
        clock: any LoopClock, wallTime: @escaping @Sendable () -> Int64,
        log: @escaping @Sendable (PluginLogLine) -> Void, output: @escaping @Sendable (String) -> Bool
    ) {
        self.clock = clock is ContinuousLoopClock ? ContinuousLoopClock.forSlowActions : clock
        self.wallTime = wallTime
        (self.log, self.output) = (log, output)
    }

    /// How many emissions came after their call was finished or cancelled. They become no events.
    ///
    /// They are counted until another call uses the place of the ended one, at the earliest after 64 more
    /// calls have ended.
    public var lateEmissions: Int { late.total }

    /// Begins a call of an effect that takes `spin_call *`. The call lasts, and keeps `sink` alive, until the
    /// plugin or `cancel` ends it.
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

    /// Cancels a call. Does nothing if the call is over.
    ///
    /// Later emissions get `SPIN_CANCELLED`, and the call's timers end. The function that the plugin
    /// registered with `spin_on_cancel` is called once, before this returns. Afterwards the caller may free
    /// the arguments of the call.
    public func cancel(_ token: CallToken) { HostRegistry.shared.cancel(token) }

    /// Cancels a call as `cancel` does, and returns whether it was running.
    public func takeBack(_ token: CallToken) -> Bool {
        var wasRunning = false
        HostRegistry.shared.cancel(token) { _ in wasRunning = true }
        return wasRunning
    }

    /// Ends a call as its plugin does with `spin_finish`. Does nothing if the call is over.
    func finish(_ token: CallToken) {
        if case .success(let call) = HostRegistry.shared.end(token, answer: SPIN_STOPPED) {
            call.sink.finished()
        }
    }

    /// Ends a call as its plugin does with `spin_fail`. Does nothing if the call is over.
    func fail(_ token: CallToken, code: Int32, text: String) {
        guard case .success(let call) = HostRegistry.shared.end(token, answer: SPIN_STOPPED) else { return }
        call.sink.failed(code: code, text: text)
    }

    /// Whether the call was neither ended by its plugin nor cancelled.
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
