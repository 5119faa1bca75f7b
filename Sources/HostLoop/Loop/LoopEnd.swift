/// The end of a loop: reached when it has stopped and no effect of it runs any more. Outlives the loop's
/// handle.
public struct LoopEnd: Sendable {
    let source: any EndSource

    @usableFromInline
    init(source: any EndSource) {
        self.source = source
    }

    /// Waits for the end.
    ///
    /// A precondition failure inside the loop's own effects, reducer and observers and in tasks they start,
    /// which would wait for themselves; a detached task, and `notify(_:)`, may be used there.
    public nonisolated(nonsending) func wait() async {
        precondition(
            LoopScope.current?.core !== source,
            "`ended` awaited inside an effect of its own loop, waiting for itself: use `ended.notify` there"
        )
        await withCheckedContinuation { continuation in
            source.whenEnded { continuation.resume() }
        }
    }

    /// Calls `body` once at the end: at once if that is past, else on the thread on which the last effect or
    /// the loop came to its end. `body` must not wait.
    public func notify(_ body: @escaping @Sendable () -> Void) {
        source.whenEnded(body)
    }

    /// The runs that are pending or whose calls execute: what a loop that stopped still waits for.
    public var running: [EffectRun] { source.running }
}

/// A loop as its end sees it.
@usableFromInline
protocol EndSource: AnyObject, Sendable {
    func whenEnded(_ body: @escaping @Sendable () -> Void)
    var running: [EffectRun] { get }
}

/// Why a loop stopped.
public struct StopReason: Sendable, Hashable {
    private enum Kind: Sendable, Hashable { case stopped, until, released }

    private let kind: Kind

    /// `Loop.stop()` was called.
    public static let stopped = StopReason(kind: .stopped)
    /// The spin's `until` was true of the state.
    public static let until = StopReason(kind: .until)
    /// The last reference to the loop's handle was released.
    public static let released = StopReason(kind: .released)
}
