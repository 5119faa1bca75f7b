/// When an app ends: decided from what its loops tell, without locks or threads.
struct AppRunState {
    /// What to do after something was told.
    enum Action: Equatable {
        case none
        /// Stop every loop; the app ends with this outcome.
        case stopLoops(AppOutcome)
    }

    private enum Progress { case running, quiescent, reachedUntil, stopped }

    private let names: [String]
    private let hasUntil: [Bool]
    private let stopsOnFault: Bool
    private let stays: Bool
    private var progress: [Progress]
    private(set) var outcome: AppOutcome?
    /// Faults so far.
    private(set) var faults = 0

    /// - Parameter stays: the app goes on when nothing can happen any more.
    init(loops: [(name: String, hasUntil: Bool)], stopsOnFault: Bool, stays: Bool = false) {
        (names, hasUntil) = (loops.map(\.name), loops.map(\.hasUntil))
        (self.stopsOnFault, self.stays) = (stopsOnFault, stays)
        progress = loops.map { _ in .running }
    }

    /// In a loop nothing can happen any more by itself.
    ///
    /// - Parameter messagesWait: a message is on its way to some loop, which will tell of itself when it has it.
    mutating func quiescent(_ loop: Int, messagesWait: Bool = false) -> Action {
        guard progress[loop] == .running || progress[loop] == .quiescent else { return .none }
        progress[loop] = .quiescent
        return endIfNothingIsLeft(messagesWait)
    }

    /// A message becomes events of a loop: it will be quiescent anew.
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

    /// Another run has taken the place of this one; what was decided before is for that to do.
    mutating func followed() -> AppOutcome? {
        defer { outcome = .followed }
        return outcome
    }

    /// Ends as a run was about to whose place this one has taken.
    mutating func goOn(to outcome: AppOutcome) -> Action { end(outcome) }

    /// The plugins cannot be used.
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
