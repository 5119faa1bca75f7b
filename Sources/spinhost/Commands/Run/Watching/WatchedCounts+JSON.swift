import App
import HostLoop
import Manifest
import Records

extension WatchedCounts {
    /// The counts for programs. Durations are in nanoseconds.
    ///
    /// - Parameters:
    ///   - running: how many runs of a feedback last now.
    ///   - plugin: the plugin that a feedback calls; nil if it calls none.
    func json(running: (Runs) -> Int, plugin: (_ feedback: String) -> String?) -> Value {
        let origins = zip(Origin.allCases, events).map { origin, events in
            (
                origin.rawValue,
                Value.record([
                    ("handled", .int(Int64(events.handled))), ("unhandled", .int(Int64(events.unhandled))),
                    ("withdrawn", .int(Int64(events.withdrawn))), ("late", .int(Int64(events.late))),
                ])
            )
        }
        return .record([
            ("since", .string(JournalTime.universal(since))), ("events", .record(origins)),
            (
                "feedbacks",
                .list(
                    runs.map { runs in
                        runs.json(running: running(runs), plugin: plugin(runs.feedback))
                    })
            ),
        ])
    }
}

extension WatchedCounts.Runs {
    func json(running: Int, plugin: String?) -> Value {
        .record([
            ("feedback", .string(feedback)), ("plugin", plugin.map { .string($0) } ?? .null),
            ("running", .int(Int64(running))),
            ("began", .int(Int64(began))), ("ended", .int(Int64(ended))),
            ("cancelled", .int(Int64(cancelled))), ("failed", .int(Int64(failed))),
            ("outcomes", .record(outcomes)),
            ("p50", times.quantile(0.5).map { .int($0.nanoseconds) } ?? .null),
            ("p99", times.quantile(0.99).map { .int($0.nanoseconds) } ?? .null),
            ("longest", times.count > 0 ? .int(times.longest.nanoseconds) : .null),
            ("sum", .int(times.sum.nanoseconds)), ("buckets", .list(times.buckets.map { .int(Int64($0)) })),
        ])
    }
}

extension WatchedCounts.Runs {
    /// The runs that are over, by what became of them.
    var outcomes: [(String, Value)] {
        [
            ("succeeded", .int(Int64(ended - failedRuns))), ("failed", .int(Int64(failedRuns))),
            ("cancelled", .int(Int64(cancelled))),
        ]
    }
}

extension DurationHistogram {
    /// The durations for programs, in nanoseconds.
    var fields: [(String, Value)] {
        [
            ("count", .int(Int64(count))), ("sum", .int(sum.nanoseconds)),
            ("longest", count > 0 ? .int(longest.nanoseconds) : .null),
            ("buckets", .list(buckets.map { .int(Int64($0)) })),
        ]
    }
}

/// The runs of all feedbacks that call one plugin.
struct PluginCounts {
    let name: String
    private var runs: WatchedCounts.Runs

    init(_ name: String, _ runs: WatchedCounts.Runs) { (self.name, self.runs) = (name, runs) }

    /// Adds the runs of another feedback.
    mutating func add(_ other: WatchedCounts.Runs) { runs.add(other) }

    /// The counts for programs.
    var json: Value {
        .record(
            [("plugin", .string(name)), ("calls", .int(Int64(runs.began)))] + runs.outcomes + [
                ("sum", .int(runs.times.sum.nanoseconds)),
                ("longest", runs.times.count > 0 ? .int(runs.times.longest.nanoseconds) : .null),
            ])
    }
}

extension AppTally.Messages {
    /// The counts for programs.
    var json: Value {
        .record([
            ("gear", .string(gear)), ("message", .string(message)), ("sent", .int(Int64(sent))),
            ("delivered", .int(Int64(delivered))), ("lost", .int(Int64(lost))),
        ])
    }
}

extension AppTally.Swaps {
    /// The counts for programs.
    func json(of plugin: String) -> Value {
        .record([
            ("plugin", .string(plugin)), ("swapped", .int(Int64(swapped))), ("refused", .int(Int64(refused))),
            ("failed", .int(Int64(failed))), ("rolledBack", .int(Int64(rolledBack))),
        ])
    }
}

extension Manifest {
    /// The plugin that a feedback calls, `std` for the built-in one; nil for a feedback that calls none.
    func plugin(ofFeedback name: String, loop: Int) -> String? {
        guard let effect = loops[loop].feedbacks.first(where: { $0.name == name })?.effect else { return nil }
        return switch effect.provider {
        case .standard: "std"
        case .plugin(let index): plugins[index].name
        }
    }
}
