public import Records

/// The running app that answers the requests of a control socket. The server's thread calls its functions,
/// which must not block: an app does slow work on another thread and answers later.
public protocol ControlTarget: AnyObject, Sendable {
    /// Queues an event and returns the outcome.
    func send(
        event: String, loop: String?, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value

    /// Queues an event, and answers once its entry is committed in the app's journal.
    ///
    /// - Parameter answer: the app must call it once, on any thread, unless this throws.
    func sendDurably(
        event: String, loop: String?, _ content: ControlRequest.Content,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) throws(ControlFault)

    /// Answers with the state of a loop; nil for every loop.
    ///
    /// - Parameter answer: the app must call it once, on any thread.
    func state(loop: String?, answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void)

    /// Swaps a plugin, if its library has changed, and answers with the outcome.
    ///
    /// - Parameter answer: the app must call it once, on any thread. Nil means that the next target must
    ///   answer (`ControlServer.replaceTarget`).
    func swap(plugin: String, answer: @escaping @Sendable (Value?) -> Void)

    /// Reads the manifest again, continues with it if it has no faults, and answers with the outcome.
    ///
    /// - Parameter answer: the app must call it once, on any thread.
    func reload(answer: @escaping @Sendable (Value) -> Void)

    /// Returns the metrics of the plugins.
    func metrics() -> Value

    /// Returns the counters of a loop; nil for every loop, and those of the whole app behind them.
    func counters(loop: String?) throws(ControlFault) -> Value

    /// The names of all loops, by their indices.
    var loopNames: [String] { get }

    /// The index of the loop of that name; for nil, the indices of all loops.
    func loops(named name: String?) throws(ControlFault) -> [Int]

    /// Makes `takeStates` return the present state and each new state of a loop. Each call needs one
    /// `unfollow`.
    func follow(loop: Int)

    /// Ends one `follow`.
    func unfollow(loop: Int)

    /// Returns the states of followed loops since the last call. The app must call `ControlServer.statesCame`
    /// when there are some.
    func takeStates() -> [ControlState]
}
