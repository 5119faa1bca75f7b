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
    let late: LateEmissions
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
    ///   - lateEmission: called for each emission that comes after the end of its call.
    public init(
        clock: any LoopClock, wallTime: @escaping @Sendable () -> Int64,
        log: @escaping @Sendable (PluginLogLine) -> Void, output: @escaping @Sendable (String) -> Bool,
        lateEmission: @escaping @Sendable () -> Void = {}
    ) {
        late = LateEmissions(counted: lateEmission)
        self.clock = clock is ContinuousLoopClock ? ContinuousLoopClock.forSlowActions : clock
        self.wallTime = wallTime
        (self.log, self.output) = (log, output)
    }

    /// How many emissions came after their call was finished or cancelled. They become no events.
    ///
    /// They are counted until another call uses the place of the ended one, at the earliest after 64 more
    /// calls have ended.
    public var lateEmissions: Int { late.total }

    /// Counts an emission that came after the end of its call in another process.
    package func countLateEmission() { late.count() }

    /// What hears of a call that emits, and its plugin; the status for the plugin if the call is over. Then the
    /// emission is counted as late.
    package enum Emitting {
        case running(any CallSink, PluginImage)
        case over(Int32)
    }

    /// See `Emitting`.
    package static func emitting(_ token: CallToken) -> Emitting {
        switch HostRegistry.shared.findEmitting(token) {
        case .success(let call): .running(call.sink, call.image)
        case .failure(let status): .over(status.code)
        }
    }

    /// Writes a line of a plugin to the log.
    package func write(_ line: PluginLogLine) { log(line) }

    /// Writes a line to the app's output; false if it cannot be written.
    package func print(_ line: String) -> Bool { output(line) }

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

    /// What hears of a running call, and the plugin that is called; nil if the call is over.
    package static func running(_ token: CallToken) -> (sink: any CallSink, image: PluginImage)? {
        guard case .success(let call) = HostRegistry.shared.calls.withLock({ $0.calls.find(token) }) else {
            return nil
        }
        return (call.sink, call.image)
    }

    /// Ends a call whose function has returned, and tells nobody. Does nothing if the call is over.
    package func settle(_ token: CallToken) { HostRegistry.shared.take(token, answer: SPIN_STOPPED) }

    /// The running calls of a plugin.
    package static func running(of image: PluginImage) -> [CallToken] {
        HostRegistry.shared.calls.withLock { $0.calls.running(of: image) }
    }

    /// How long a running call may still take; nil: for ever.
    package func timeout(of token: CallToken) -> Duration? {
        guard case .success(let call) = HostRegistry.shared.calls.withLock({ $0.calls.find(token) }),
            call.deadline != .max
        else { return nil }
        return .nanoseconds(call.deadline - clock.now.nanoseconds)
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
    package func finish(_ token: CallToken) {
        HostRegistry.shared.take(token, answer: SPIN_STOPPED)?.sink.finished()
    }

    /// Ends a call as its plugin does with `spin_fail`. Does nothing if the call is over.
    package func fail(_ token: CallToken, code: Int32, text: String) {
        HostRegistry.shared.take(token, answer: SPIN_STOPPED)?.sink.failed(code: code, text: text)
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
