import App
import ArgumentParser

/// The last lines of a run, for people.
struct Summary {
    let end: AppEnd
    let took: Duration

    init(_ end: AppEnd, took: Duration) { (self.end, self.took) = (end, took) }

    /// `done: 10 steps, 10 events (10 withdrawn), 0 drops, 0 faults in 1.2 ms`. If there were swaps, they
    /// follow the faults.
    var text: String {
        let counters = end.counters
        let unused = [(counters.withdrawn, "withdrawn"), (counters.discarded, "discarded")]
            .filter { $0.0 > 0 }.map { "\(CountText.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
        let counts = [
            CountText.count(counters.steps, "step"),
            CountText.count(counters.events, "event") + (unused.isEmpty ? "" : " (\(unused))"),
            CountText.count(counters.drops, "drop")
                + (counters.lostMessages > 0
                    ? " (\(CountText.count(counters.lostMessages, "message")) lost)" : ""),
            CountText.count(counters.faults, "fault"), swaps,
        ]
        .filter { !$0.isEmpty }.joined(separator: ", ")
        var text = "\(reason): \(counts) in \(CountText.time(took))\n"
        text += counters.replaced.line
        if !end.abandoned.isEmpty {
            let names = end.abandoned.map { "`\($0)`" }.joined(separator: ", ")
            text += "left behind, still running after \(CountText.time(AppRun.deadline)): \(names)\n"
        }
        return text
    }

    /// `3 swaps (1 refused, 1 failed, 1 rolled back)`; empty when there were none.
    private var swaps: String {
        let counters = end.counters
        let others = [
            (counters.refusedSwaps, "refused"), (counters.failedSwaps, "failed"),
            (counters.rollBacks, "rolled back"),
        ]
        .filter { $0.0 > 0 }.map { "\(CountText.grouped($0.0)) \($0.1)" }
        guard counters.swaps > 0 || !others.isEmpty else { return "" }
        return CountText.count(counters.swaps, "swap")
            + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))")
    }

    private var reason: String {
        switch end.outcome {
        case .done: "done"
        case .nothingLeft(let unreached) where unreached.isEmpty: "nothing can happen any more"
        case .nothingLeft(let unreached):
            "nothing can happen any more, and `until` was not reached in "
                + unreached.map { "`\($0)`" }.joined(separator: ", ")
        case .fault: "ended by a fault (`app.on-fault = \"stop\"`)"
        case .stopped: "stopped"
        case .unavailable: "a plugin is unavailable"
        case .followed: "replaced by the app of the changed manifest"
        }
    }

    /// The exit code; nil for 0.
    static func status(of outcome: AppOutcome) -> ExitCode? {
        switch outcome {
        case .done, .stopped, .followed: nil
        case .nothingLeft(let unreached): unreached.isEmpty ? nil : ExitStatus.no
        case .fault: ExitStatus.no
        case .unavailable: ExitStatus.unavailable
        }
    }
}
