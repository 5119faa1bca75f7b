/// Decides when an app ends, from the notifications of its loops. A plain value without locks or threads.
struct AppRunState {
    /// What the run must do after a notification.
    enum Action: Equatable {
        case none
        /// Stop every loop. The app ends with this outcome.
        case stopLoops(AppOutcome)
    }

    private enum Progress { case running, quiescent, reachedUntil, stopped }

    private let names: [String]
    private let hasUntil: [Bool]
    private let stopsOnFault: Bool
    private let stays: Bool
    private var progress: [Progress]
    private(set) var outcome: AppOutcome?
    private(set) var faults = 0

    /// - Parameter stays: whether the app continues when nothing can happen by itself any more.
    init(loops: [(name: String, hasUntil: Bool)], stopsOnFault: Bool, stays: Bool = false) {
        (names, hasUntil) = (loops.map(\.name), loops.map(\.hasUntil))
        (self.stopsOnFault, self.stays) = (stopsOnFault, stays)
        progress = loops.map { _ in .running }
    }

    /// Nothing can happen in a loop by itself any more.
    ///
    /// - Parameter messagesWait: whether a message is on its way to a loop; `received` and `quiescent` follow
    ///   for that loop.
    mutating func quiescent(_ loop: Int, messagesWait: Bool = false) -> Action {
        guard progress[loop] == .running || progress[loop] == .quiescent else { return .none }
        progress[loop] = .quiescent
        return endIfNothingIsLeft(messagesWait)
    }

    /// A message becomes events of a loop. The loop will be quiescent again later.
    mutating func received(_ loop: Int) {
        if progress[loop] == .quiescent { progress[loop] = .running }
    }

    mutating func stopped(_ loop: Int, reachedUntil: Bool, messagesWait: Bool = false) -> Action {
        progress[loop] = reachedUntil ? .reachedUntil : .stopped
        if hasUntil.contains(true),
            progress.indices.allSatisfy({ !hasUntil[$0] || progress[$0] == .reachedUntil })
        {
            return end(.done)
        }
        return endIfNothingIsLeft(messagesWait)
    }

    mutating func faulted() -> Action {
        faults += 1
        return stopsOnFault ? end(.fault) : .none
    }

    mutating func stop() -> Action { end(.stopped) }

    /// Another run has taken the place of this one. Returns an outcome that was decided before, which the
    /// other run must pass to `end(as:)`.
    mutating func followed() -> AppOutcome? {
        defer { outcome = .followed }
        return outcome
    }

    /// Ends with the outcome that was decided for the run before.
    mutating func end(as outcome: AppOutcome) -> Action { end(outcome) }

    /// An instance could not be made or started.
    mutating func unavailable() { outcome = outcome ?? .unavailable }

    private mutating func endIfNothingIsLeft(_ messagesWait: Bool) -> Action {
        guard !stays, !messagesWait, !progress.contains(.running) else { return .none }
        let unreached = progress.indices.filter { hasUntil[$0] && progress[$0] != .reachedUntil }
        return end(.nothingLeft(unreached: unreached.map { names[$0] }))
    }

    private mutating func end(_ outcome: AppOutcome) -> Action {
        guard self.outcome == nil else { return .none }
        self.outcome = outcome
        return .stopLoops(outcome)
    }
}
