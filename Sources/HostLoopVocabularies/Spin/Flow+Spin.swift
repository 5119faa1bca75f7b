public import HostLoop
public import HostLoopFlow

/// Where the original has `Observable.stream(from: spin)` and `Observable.start(spin: spin)`.
extension Flow {
    /// The states of a spin: each subscription starts a loop of its own, owns it, and sees every state.
    ///
    /// The initial state comes first, which it does in one of the original's three flavours only. The same as
    /// `Spin.stream`.
    public static func stream<Event: Sendable>(from spin: Spin<Value, Event>) -> Flow {
        spin.stream
    }

    /// Starts a loop that nobody looks at.
    /// - Returns: what has to be kept for as long as the loop is to run.
    public static func start<Event: Sendable>(spin: Spin<Value, Event>) -> Subscription {
        let loop = spin.start()
        return Subscription { loop.stop() }
    }

    /// Starts the loop of a `UISpin`, unless it runs.
    /// - Returns: what has to be kept for as long as the loop is to run; it does not keep the `UISpin`.
    public static func start<Event: Sendable>(spin: UISpin<Value, Event>) -> Subscription {
        spin.start()
        return Subscription { [weak spin] in spin?.stop() }
    }
}
