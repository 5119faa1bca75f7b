import App
import Control
import Diagnostics
import HostLoop
import Journal
import Manifest
import Records

// The questions of version 2.
extension ControlledApp {
    func fields(of query: ControlQuery) throws(ControlFault) -> [(String, Value)] {
        switch query {
        case .graph: [("app", .string(manifest.name))] + Graph(manifest).fields
        case .plugins: [("plugins", .list(readPlugins().map(\.json)))]
        case .runs(let loop): [("runs", .list(try runs(of: loop)))]
        case .steps(let steps): [("steps", .list(try past(steps)))]
        case .at(let place): try states(at: place)
        case .diff(let from, let to): try differences(from, to)
        case .why(let feedback, let loop): try reason(feedback, loop)
        case .fork(let place, let events): try branch(place, events)
        case .export(let form, let loop, let from, let to): try exported(form, loop, from, to)
        }
    }

    /// Reads the past from the journal, or from what the host keeps while a client watches.
    func withPast<Answer>(_ body: (any RunPast) throws -> Answer) throws(ControlFault) -> Answer {
        guard port.hasBegun else { throw Self.notBegun }
        do {
            guard let journal = port.journal else {
                return try body(MemoryPast(manifest: manifest, port: port))
            }
            return try journal.read { try body(JournalPast(reader: $0)) }
        } catch let fault as ControlFault {
            throw fault
        } catch {
            throw ControlFault(.journalFailed, "the journal cannot be read: \(error)")
        }
    }

    private func runs(of name: String?) throws(ControlFault) -> [Value] {
        var lines: [Value] = []
        for loop in try loops(named: name) {
            let running: [OngoingRun]
            do { running = try port.runs(ofLoop: loop) } catch { throw Self.notBegun }
            for ongoing in running {
                var fields: [(String, Value)] = [
                    ("loop", .string(manifest.loops[loop].name)), ("feedback", .string(ongoing.run.feedback)),
                    ("number", .int(Int64(clamping: ongoing.run.number))),
                ]
                if let age = ongoing.age {
                    fields.append(
                        ("since", .string(JournalTime.universal(JournalTime.now - age.nanoseconds))))
                }
                if let arguments = ongoing.arguments { fields.append(("args", arguments.value)) }
                lines.append(.record(fields))
            }
        }
        return lines
    }

    private func reason(_ name: String, _ loop: String?) throws(ControlFault) -> [(String, Value)] {
        let having = try loops(named: loop).filter { index in
            manifest.loops[index].feedbacks.contains { $0.name == name }
        }
        guard let index = having.first,
            let feedback = manifest.loops[index].feedbacks.firstIndex(where: { $0.name == name })
        else {
            throw ControlFault(
                .unknownFeedback, "the app has no feedback `\(name)`", of: name,
                among: manifest.loops.flatMap(\.feedbacks).map(\.name), called: "its feedbacks")
        }
        guard manifest.loops[index].key == nil else {
            throw ControlFault(
                .notReducible,
                "loop `\(manifest.loops[index].name)` has a key: the host does not know why for instances",
                help: ["`spinhost state --key` shows the state of an instance"])
        }
        guard having.count == 1 else {
            let names = having.map { "`\(manifest.loops[$0].name)`" }.joined(separator: ", ")
            throw ControlFault(.loopNeeded, "`\(name)` is a feedback of \(names)", help: ["name the loop"])
        }
        let reason: FeedbackReason
        do { reason = try port.reason(ofFeedback: feedback, loop: index, in: manifest) } catch {
            throw Self.notBegun
        }
        var fields: [(String, Value)] = [
            ("loop", .string(manifest.loops[index].name)), ("feedback", .string(name)),
            ("step", .int(Int64(clamping: reason.state.step))), ("outcome", .string(reason.outcome.rawValue)),
            ("running", .list(reason.running.map { .int(Int64(clamping: $0)) })),
        ]
        if let condition = reason.condition { fields.append(("when", .string(condition))) }
        if !reason.isEventKnown { fields.append(("eventKnown", .bool(false))) }
        return fields
    }
}

extension PluginState {
    /// The plugin for programs.
    fileprivate var json: Value {
        var fields: [(String, Value)] = [("plugin", .string(name))]
        if let version { fields.append(("version", .string(version))) }
        if let hash { fields.append(("hash", .string(hash))) }
        fields += [
            ("isolation", .string("\(isolation)")), ("standing", .string(standing.rawValue)),
        ]
        if let reason { fields.append(("reason", .string(reason))) }
        if hasInstances { fields.append(("instances", .int(Int64(startedInstances)))) }
        return .record(fields)
    }
}
