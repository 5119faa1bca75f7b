public import Records

/// The running app that answers the requests of a control socket. The server's thread calls its functions,
/// which must not block: an app does slow work on another thread and answers later.
public protocol ControlTarget: AnyObject, Sendable {
    /// Queues an event and returns the outcome.
    func send(
        event: String, to place: ControlRequest.Place, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value

    /// Queues an event, and answers once its entry is committed in the app's journal.
    ///
    /// - Parameter answer: the app must call it once, on any thread, unless this throws.
    func sendDurably(
        event: String, to place: ControlRequest.Place, _ content: ControlRequest.Content,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) throws(ControlFault)

    /// Answers with the state of a loop or instance; without a name, of every loop.
    ///
    /// - Parameters:
    ///   - page: the instances of a loop with a key that is named without a key.
    ///   - answer: the app must call it once, on any thread.
    func state(
        of place: ControlRequest.Place, _ page: ControlRequest.Page,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void)

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

    /// Returns all counters that version 2 has, as one record for each loop, and one for the whole app.
    func allCounters(loop: String?) throws(ControlFault) -> [Value]

    /// Answers a question of version 2.
    ///
    /// - Parameter answer: the app must call it once, on any thread.
    func answer(
        _ query: ControlQuery, answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void)

    /// Keeps for a client what it wants to hear from now on, in place of what it wanted before.
    func beginActivity(of client: Int, _ watch: ControlWatch) throws(ControlFault)

    /// Ends what `beginActivity` began, also for a client that has watched nothing.
    func endActivity(of client: Int)

    /// Whether there is activity since `takeActivity` was called last. The app must call `ControlServer.statesCame`
    /// when there is some again.
    var hasActivity: Bool { get }

    /// Returns lines for a client since the last call.
    ///
    /// - Parameters:
    ///   - most: the greatest number of lines.
    ///   - isFresh: whether the newest lines are returned, and all others are skipped. Else the oldest ones are
    ///     returned, and the others wait.
    /// - Returns: the lines, the number of skipped ones, and whether others wait.
    func takeActivity(
        of client: Int, most: Int, isFresh: Bool
    ) -> (lines: [String], skipped: Int, isMore: Bool)

    /// The names of all loops, by their indices.
    var loopNames: [String] { get }

    /// The key as clients get it with the states of its instance; nil without a key.
    ///
    /// - Throws: if there is no such loop, if it has no key, or if the key is not of its type.
    func key(of place: ControlRequest.Place) throws(ControlFault) -> Value?

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
