/// The end of a loop, or of loops by key. It is reached when the loop has stopped and no effect of it runs any more.
/// It outlives the handle.
public struct LoopEnd: Sendable {
    let source: any EndSource

    @usableFromInline
    init(source: any EndSource) {
        self.source = source
    }

    /// Waits for the end.
    ///
    /// Inside the loop's own effects, reducer and observers, and in tasks that they start, the call is a
    /// precondition failure: it would wait for itself. That code may use a detached task, or `notify(_:)`.
    public nonisolated(nonsending) func wait() async {
        precondition(
            !source.isRunningHere,
            "`ended` awaited inside an effect of its own loop, waiting for itself: use `ended.notify` there"
        )
        await withCheckedContinuation { continuation in
            source.whenEnded { continuation.resume() }
        }
    }

    /// Calls `body` once, at the end: at once if the end is past, otherwise on the thread that ended the last
    /// effect or the loop. `body` must not wait.
    public func notify(_ body: @escaping @Sendable () -> Void) {
        source.whenEnded(body)
    }

    /// The runs that are pending or whose calls execute. A loop that has stopped still waits for these.
    public var running: [EffectRun] { source.running }
}

/// The part of a loop that its end needs.
@usableFromInline
protocol EndSource: AnyObject, Sendable {
    /// Whether the calling code belongs to the loop, or to a task that the loop's code has started.
    var isRunningHere: Bool { get }
    func whenEnded(_ body: @escaping @Sendable () -> Void)
    var running: [EffectRun] { get }
}

/// The reason why a loop stopped.
public struct StopReason: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Sendable, Hashable { case stopped, until, released }

    private let kind: Kind

    /// `Loop.stop()` was called.
    public static let stopped = StopReason(kind: .stopped)
    /// The spin's `until` was true of the state.
    public static let until = StopReason(kind: .until)
    /// The last reference to the loop's handle was released.
    public static let released = StopReason(kind: .released)

    /// "stopped", "until" or "released".
    public var description: String { "\(kind)" }
}
