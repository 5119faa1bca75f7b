public import HostLoop
public import HostLoopFlow

/// The original's `Observable.stream(from: spin)` and `Observable.start(spin: spin)`.
extension Flow {
    /// The states of a spin. Each subscription starts and owns a loop, and gets every state.
    ///
    /// The initial state comes first. It does so in only one of the original's three flavours. The same as
    /// `Spin.stream`.
    public static func stream<Event: Sendable>(from spin: Spin<Value, Event>) -> Flow {
        spin.stream
    }

    /// The states of a `UISpin`, from the subscription on. The same as `UISpin.stream`.
    public static func stream<Event: Sendable>(from spin: UISpin<Value, Event>) -> Flow {
        spin.stream
    }

    /// Starts a loop without following its states.
    /// - Returns: the subscription, which must be kept while the loop is to run.
    public static func start<Event: Sendable>(spin: Spin<Value, Event>) -> Subscription {
        let loop = spin.start()
        return Subscription { loop.stop() }
    }

    /// Starts the loop of a `UISpin`, unless it runs.
    /// - Returns: the subscription, which must be kept while the loop is to run. It does not keep the
    ///   `UISpin`.
    public static func start<Event: Sendable>(spin: UISpin<Value, Event>) -> Subscription {
        spin.start()
        return Subscription { [weak spin] in spin?.stop() }
    }
}
