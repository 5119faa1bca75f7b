import App
import Control
import HostLoop
import Journal
import Manifest
import PluginHost
import Records

// The counters of version 2.
extension ControlledApp {
    func allCounters(loop name: String?) throws(ControlFault) -> [Value] {
        let indices = try loops(named: name)
        do throws(AppPort.NotBegun) {
            var lines: [Value] = []
            for index in indices { lines.append(try counters(ofLoop: index)) }
            if name == nil { lines.append(try countersOfApp()) }
            return lines
        } catch { throw Self.notBegun }
    }

    private func counters(ofLoop index: Int) throws(AppPort.NotBegun) -> Value {
        let base = try port.counters(ofLoop: index).json(ofLoop: manifest.loops[index].name)
        let runs = try port.runs(ofLoop: index)
        var fields: [(String, Value)] = [
            ("queue", .int(Int64(try port.waitingEvents(ofLoop: index)))),
            ("running", .int(Int64(runs.count))),
        ]
        if let counts = port.watchedCounts(ofLoop: index) {
            fields.append(("watched", counts.json(running: runs.map(\.run.feedback))))
        }
        return base.adding(fields)
    }

    private func countersOfApp() throws(AppPort.NotBegun) -> Value {
        let counters = try port.counters()
        let replaced = counters.replaced
        var fields: [(String, Value)] = [
            (
                "images",
                .record([
                    ("inUse", .int(Int64(replaced.inUse))), ("unmapped", .int(Int64(replaced.unmapped))),
                    ("kept", .int(Int64(replaced.kept))),
                ])
            )
        ]
        if let status = port.journal?.status {
            let file = manifest.journal.map { [("file", Value.string($0.path))] } ?? []
            fields.append(
                (
                    "journal",
                    .record(
                        file + [
                            ("position", .int(Int64(clamping: status.appended))),
                            ("durable", .int(Int64(clamping: status.committed))),
                            ("bytes", .int(Int64(status.bytes))), ("commits", .int(Int64(status.commits))),
                            ("waits", .int(Int64(status.waits))), ("broken", .bool(status.failure != nil)),
                        ])
                ))
        }
        return counters.json(ofApp: manifest.name).adding(fields)
    }
}

extension Value {
    /// A record with more fields.
    fileprivate func adding(_ fields: [(String, Value)]) -> Value {
        guard case .map(let entries) = self, case .map(let more) = Value.record(fields) else { return self }
        return .map(entries + more)
    }
}

extension WatchedCounts {
    /// The counts for programs. Durations are in nanoseconds.
    ///
    /// - Parameter running: the feedback of each run that lasts now.
    fileprivate func json(running: [String]) -> Value {
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
                .list(runs.map { runs in runs.json(running: running.count { $0 == runs.feedback }) })
            ),
        ])
    }
}

extension WatchedCounts.Runs {
    fileprivate func json(running: Int) -> Value {
        .record([
            ("feedback", .string(feedback)), ("running", .int(Int64(running))),
            ("began", .int(Int64(began))), ("ended", .int(Int64(ended))),
            ("cancelled", .int(Int64(cancelled))), ("failed", .int(Int64(failed))),
            ("p50", times.quantile(0.5).map { .int($0.nanoseconds) } ?? .null),
            ("p99", times.quantile(0.99).map { .int($0.nanoseconds) } ?? .null),
            ("longest", times.count > 0 ? .int(times.longest.nanoseconds) : .null),
            ("sum", .int(times.sum.nanoseconds)), ("buckets", .list(times.buckets.map { .int(Int64($0)) })),
        ])
    }
}
