import App
import Control
import HostLoop
import Manifest
import Records

// Loops with a key: their instances for clients.
extension ControlledApp {
    /// The key that a place names, as the manifest's type; nil for a loop without a key, and for such a loop as a whole.
    ///
    /// - Parameter toSend: whether a loop with a key must be named with one.
    func loopKey(
        _ place: ControlRequest.Place, ofLoop index: Int, toSend: Bool
    ) throws(ControlFault) -> LoopKey? {
        let loop = manifest.loops[index]
        guard let model = loop.key else {
            guard place.key == nil else {
                throw ControlFault(
                    .keyNotTaken, "loop `\(loop.name)` has no key",
                    help: ["leave out the key: there is one such loop"])
            }
            return nil
        }
        guard let key = place.key else {
            guard toSend else { return nil }
            throw ControlFault(
                .keyNeeded, "loop `\(loop.name)` has an instance for each key",
                help: ["say which instance gets the event: the key is of type `\(model.kind.rawValue)`"])
        }
        let record: Record
        do {
            record = try Record(
                model.record, jsonValue: .record([(KeyModel.name, try Self.plain(key, model))]))
        } catch {
            throw ControlFault(
                .invalidKey, "\(key.json) is not a key of type `\(model.kind.rawValue)`",
                help: ["loop `\(loop.name)` has keys of this type"])
        }
        do { return try LoopKey(in: record) } catch {
            throw ControlFault(.invalidKey, "\(error)", help: ["choose a shorter key"])
        }
    }

    /// A text as the number that it means.
    private static func plain(_ key: Value, _ model: KeyModel) throws -> Value {
        guard case .string(let text) = key, model.kind == .int || model.kind == .uint else { return key }
        return try CallWord.value(text, as: model.kind.type)
    }

    func key(of place: ControlRequest.Place) throws(ControlFault) -> Value? {
        guard place.loop != nil else { return nil }
        return try loopKey(place, ofLoop: try loops(named: place.loop)[0], toSend: false)?.value
    }

    /// Queues an event for an instance, and returns the outcome.
    func send(
        _ event: Int, _ payload: Record, to key: LoopKey, ofLoop index: Int
    ) throws(ControlFault) -> Value {
        let result: KeyedEmitResult
        do { result = try port.send(event: event, payload: payload, to: key, ofLoop: index) } catch {
            throw Self.notBegun
        }
        let word =
            switch result {
            case .queued: "queued"
            case .full: "rejected"
            case .limit: "limit"
            case .absent: "absent"
            case .cancelled, .stopped: "stopped"
            }
        return sent(to: index, [("key", key.value), ("result", .string(word))])
    }

    /// The state of an instance, or some of the instances.
    func states(
        ofLoop index: Int, _ key: LoopKey?, _ page: ControlRequest.Page
    ) throws(AppPort.NotBegun) -> Result<Value, ControlFault> {
        let name = manifest.loops[index].name
        if let key {
            guard let state = try port.state(of: key, ofLoop: index) else {
                return .failure(
                    ControlFault(
                        .noInstance, "loop `\(name)` has no instance `\(key)`",
                        help: ["an event for the key makes it, if the loop lets it"]))
            }
            let states = [instance(key, state.state, ofLoop: index)]
            return .success(.record([("ok", .bool(true)), ("states", .list(states))]))
        }
        let found = try port.page(
            ofLoop: index, after: page.after == 0 ? nil : KeyedCursor(number: page.after), atMost: page.limit)
        let states = found.loops.map { instance($0.key, $0.state, ofLoop: index) }
        let next = found.next.map { [("next", Value.int(Int64(clamping: $0.number)))] } ?? []
        return .success(.record([("ok", .bool(true)), ("states", .list(states))] + next))
    }

    /// One instance for clients.
    func instance(_ key: LoopKey, _ state: Record, ofLoop index: Int) -> Value {
        .record([
            ("loop", .string(manifest.loops[index].name)), ("key", key.value), ("state", state.value),
        ])
    }

    /// A loop with a key among all loops, in the form of any loop.
    func summary(ofLoop index: Int) throws(AppPort.NotBegun) -> Value {
        let instances = try port.instances(ofLoop: index)
        return .record([
            ("loop", .string(manifest.loops[index].name)), ("step", .int(Int64(clamping: instances.steps))),
            ("state", .record([("instances", .int(Int64(instances.count)))])),
        ])
    }

    /// The counters of a loop; those of a loop with a key have what became of its instances, too.
    func countersOfLoop(_ index: Int) throws(AppPort.NotBegun) -> Value {
        let loop = manifest.loops[index]
        let counters = try port.counters(ofLoop: index).json(ofLoop: loop.name)
        guard loop.key != nil else { return counters }
        let instances = try port.instances(ofLoop: index)
        let became = instances.counters
        return counters.adding([
            ("instances", .int(Int64(instances.count))), ("awake", .int(Int64(instances.awake))),
            ("busy", .int(Int64(instances.busy))), ("kept", .int(Int64(became.kept))),
            ("made", .int(Int64(clamping: became.made))),
            ("ended", .int(Int64(clamping: became.stopped))),
            ("refusedByLimit", .int(Int64(clamping: became.refusedByLimit))),
            ("refusedAsAbsent", .int(Int64(clamping: became.refusedAsAbsent))),
        ])
    }
}
