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
    private var progress: [Progress]
    private(set) var outcome: AppOutcome?
    /// Faults so far.
    private(set) var faults = 0

    init(loops: [(name: String, hasUntil: Bool)], stopsOnFault: Bool) {
        (names, hasUntil) = (loops.map(\.name), loops.map(\.hasUntil))
        self.stopsOnFault = stopsOnFault
        progress = loops.map { _ in .running }
    }

    mutating func quiescent(_ loop: Int) -> Action {
        guard progress[loop] == .running else { return .none }
        progress[loop] = .quiescent
        return endIfNothingIsLeft()
    }

    mutating func stopped(_ loop: Int, reachedUntil: Bool) -> Action {
        progress[loop] = reachedUntil ? .reachedUntil : .stopped
        if hasUntil.contains(true), progress.indices.allSatisfy({ !hasUntil[$0] || progress[$0] == .reachedUntil }) {
            return end(.done)
        }
        return endIfNothingIsLeft()
    }

    mutating func faulted() -> Action {
        faults += 1
        return stopsOnFault ? end(.fault) : .none
    }

    mutating func stop() -> Action { end(.stopped) }

    private mutating func endIfNothingIsLeft() -> Action {
        guard !progress.contains(.running) else { return .none }
        let unreached = progress.indices.filter { hasUntil[$0] && progress[$0] != .reachedUntil }
        return end(.nothingLeft(unreached: unreached.map { names[$0] }))
    }

    private mutating func end(_ outcome: AppOutcome) -> Action {
        guard self.outcome == nil else { return .none }
        self.outcome = outcome
        return .stopLoops(outcome)
    }
}
