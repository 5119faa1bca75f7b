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
        let base = try countersOfLoop(index)
        let runs = try port.runs(ofLoop: index)
        let faults = try port.tally().faults(ofLoop: manifest.loops[index].name)
        let counts = port.watchedCounts(ofLoop: index)
        let hasKey = manifest.loops[index].key != nil
        // The runs of instances are counted while they are watched, and not listed.
        let running = hasKey ? counts?.runs.reduce(0) { $0 + $1.open } ?? 0 : runs.count
        var fields: [(String, Value)] = [
            ("queue", .int(Int64(try port.waitingEvents(ofLoop: index)))),
            ("running", .int(Int64(running))),
            ("faultCodes", Self.json(faults: faults)),
        ]
        if let counts {
            let json = counts.json { counted in
                hasKey ? counted.open : runs.count { $0.run.feedback == counted.feedback }
            } plugin: { name in
                manifest.plugin(ofFeedback: name, loop: index)
            }
            fields.append(("watched", json))
        }
        return base.adding(fields)
    }

    private static func json(faults: [String: Int]) -> Value {
        .record(faults.sorted { $0.key < $1.key }.map { ($0.key, .int(Int64($0.value))) })
    }

    private func countersOfApp() throws(AppPort.NotBegun) -> Value {
        let (counters, tally) = (try port.counters(), try port.tally())
        let replaced = counters.replaced
        var fields: [(String, Value)] = [
            (
                "images",
                .record([
                    ("inUse", .int(Int64(replaced.inUse))), ("unmapped", .int(Int64(replaced.unmapped))),
                    ("kept", .int(Int64(replaced.kept))),
                    ("keptWithThreads", .int(Int64(replaced.keptWithThreads))),
                    ("keptBytes", .int(Int64(replaced.keptBytes))),
                ])
            ), ("faultCodes", Self.json(faults: tally.faults)),
            ("swapOutcomes", .list(manifest.plugins.compactMap { tally.swaps[$0.name]?.json(of: $0.name) })),
            ("swapPauses", .record(tally.pauses.fields)),
            ("messages", .list(tally.messages(of: manifest.gears).map(\.json))),
        ]
        let plugins = pluginCounts
        if !plugins.isEmpty { fields.append(("plugins", .list(plugins.map(\.json)))) }
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
                            ("commitTimes", .record(status.commitTimes.fields)),
                        ])
                ))
        }
        return counters.json(ofApp: manifest.name).adding(fields)
    }

    /// The runs that call each plugin, of the loops that are watched.
    private var pluginCounts: [PluginCounts] {
        var counts: [PluginCounts] = []
        for loop in manifest.loops.indices {
            for runs in port.watchedCounts(ofLoop: loop)?.runs ?? [] {
                guard let name = manifest.plugin(ofFeedback: runs.feedback, loop: loop) else { continue }
                if let index = counts.firstIndex(where: { $0.name == name }) {
                    counts[index].add(runs)
                } else {
                    counts.append(PluginCounts(name, runs))
                }
            }
        }
        return counts
    }
}

extension Value {
    /// A record with more fields.
    func adding(_ fields: [(String, Value)]) -> Value {
        guard case .map(let entries) = self, case .map(let more) = Value.record(fields) else { return self }
        return .map(entries + more)
    }
}
