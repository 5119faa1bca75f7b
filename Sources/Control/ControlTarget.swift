public import Records

/// The running app that a control socket stands for. Called on the thread of the server, which must not wait: what takes
/// its time is done elsewhere, and answered then.
public protocol ControlTarget: AnyObject, Sendable {
    /// Queues an event, and says what became of it.
    func send(
        event: String, loop: String?, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value

    /// Answers with the state of a loop, or of every loop.
    ///
    /// - Parameter answer: to be called once, from any thread.
    func state(loop: String?, answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void)

    /// Swaps a plugin, if its library has changed, and answers with what became of it.
    ///
    /// - Parameter answer: to be called once, from any thread; with nil for the target to answer that takes the place of this one
    ///   (`ControlServer.goOn`).
    func swap(plugin: String, answer: @escaping @Sendable (Value?) -> Void)

    /// The names of all loops, by their indices.
    var loopNames: [String] { get }

    /// The loop of that name, or every loop, as indices for the other functions.
    func loops(named name: String?) throws(ControlFault) -> [Int]

    /// From now on `takeStates` has the present and each new state of a loop, until `unfollow`. Calls are counted.
    func follow(loop: Int)

    /// Ends one `follow`.
    func unfollow(loop: Int)

    /// The states of followed loops that came since the last call; `ControlServer.statesCame` is called when there are
    /// some.
    func takeStates() -> [ControlState]
}
