import App
import Control
import Dispatch
import HostLoop
import Manifest
import PluginHost
import Records

/// A running app for the clients of its control socket: names become loops and events of its manifest, texts and JSON their
/// fields.
final class ControlledApp: PastTarget {
    let manifest: Manifest
    let port: AppPort
    /// Reads the plugins of the app, with their versions.
    let readPlugins: @Sendable () -> [PluginState]
    /// Where the log of the app can be watched.
    let log: LogTap
    /// What the clients of version 2 watch, by their numbers.
    let watchers = Lock<[Int: ActivityReader]>([:])
    private let swap: @Sendable (String) async -> SwapReport?
    private let readManifest: @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    private let readMetrics: @Sendable () -> [PluginMetric]
    // A reducer that does not return delays only those who ask for its state.
    let waiting = DispatchQueue(label: "spinhost.control.states", attributes: .concurrent)

    /// - Parameters:
    ///   - swap: swaps a plugin of the app; nil: it is for the app to do that has the place of this one.
    ///   - reload: reads the manifest again, and answers with the outcome.
    ///   - metrics: reads the metrics of the app's plugins.
    ///   - plugins: reads the app's plugins, with their versions.
    ///   - log: where the log of the app can be watched.
    init(
        _ manifest: Manifest, _ port: AppPort, swap: @escaping @Sendable (String) async -> SwapReport?,
        reload: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void,
        metrics: @escaping @Sendable () -> [PluginMetric],
        plugins: @escaping @Sendable () -> [PluginState], log: LogTap
    ) {
        self.log = log
        (self.manifest, self.port, self.swap) = (manifest, port, swap)
        (readManifest, readMetrics, readPlugins) = (reload, metrics, plugins)
    }

    func send(
        event name: String, to place: ControlRequest.Place, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value {
        let (index, event, payload) = try meaning(of: name, place.loop, content)
        if let key = try loopKey(place, ofLoop: index, toSend: true) {
            return try send(event, payload, to: key, ofLoop: index)
        }
        let reception: AppPort.Reception
        do { reception = try port.send(event: event, payload: payload, toLoop: index) } catch {
            throw Self.notBegun
        }
        return sent(to: index, [("result", .string("\(reception)"))])
    }

    func sendDurably(
        event name: String, to place: ControlRequest.Place, _ content: ControlRequest.Content,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) throws(ControlFault) {
        let (index, event, payload) = try meaning(of: name, place.loop, content)
        guard try loopKey(place, ofLoop: index, toSend: true) == nil else {
            return answer(result(.notRecorded, ofLoop: index))
        }
        do {
            try port.send(event: event, payload: payload, toLoop: index) { [self] durability in
                answer(result(durability, ofLoop: index))
            }
        } catch { throw Self.notBegun }
    }

    private func result(
        _ durability: AppPort.Durability, ofLoop index: Int
    ) -> Result<Value, ControlFault> {
        switch durability {
        case .durable(let position):
            return .success(
                sent(to: index, [("result", .string("durable")), ("position", .int(Int64(position)))]))
        case .rejected, .stopped:
            return .success(sent(to: index, [("result", .string("\(durability)"))]))
        case .failed(let error):
            return .failure(
                ControlFault(
                    .journalFailed, "the journal cannot be written any more: \(error)",
                    help: ["the event may be lost with the next end of the process"]))
        case .notRecorded:
            let loop = manifest.loops[index]
            return .failure(
                loop.isJournaled
                    ? ControlFault(
                        .noJournal, "the app keeps no journal, so an event cannot be durable",
                        help: ["start it with `--journal FILE`, or send without waiting"])
                    : ControlFault(
                        .noJournal, "loop `\(loop.name)` is not in the journal, as it has `journal = false`",
                        help: ["send without waiting"]))
        }
    }

    func sent(to loop: Int, _ result: [(String, Value)]) -> Value {
        .record([("ok", .bool(true)), ("loop", .string(manifest.loops[loop].name))] + result)
    }

    /// The loop, the event and its fields in the terms of the manifest.
    func meaning(
        of name: String, _ loop: String?, _ content: ControlRequest.Content
    ) throws(ControlFault) -> (loop: Int, event: Int, payload: Record) {
        let index = try self.loop(of: name, named: loop)
        let model = manifest.loops[index]
        guard let event = model.sendable.firstIndex(where: { $0.name == name }) else {
            throw ControlFault(
                .unknownEvent, "loop `\(model.name)` has no event `\(name)`", of: name,
                among: model.sendable.map(\.name), called: "its events")
        }
        return (index, event, try Self.payload(content, of: model.sendable[event]))
    }

    /// The loop that is named, or the only one that has such an event.
    private func loop(of event: String, named loop: String?) throws(ControlFault) -> Int {
        if let loop { return try loops(named: loop)[0] }
        if manifest.loops.count == 1 { return 0 }
        let having = manifest.loops.indices.filter { index in
            manifest.loops[index].sendable.contains { $0.name == event }
        }
        if having.count == 1 { return having[0] }
        guard let first = having.first else {
            throw ControlFault(
                .unknownEvent, "no loop has an event `\(event)`", of: event,
                among: manifest.loops.flatMap(\.sendable).map(\.name), called: "the events")
        }
        let others = having.dropFirst().map { "`\(manifest.loops[$0].name)`" }.joined(separator: ", ")
        throw ControlFault(
            .loopNeeded, "`\(event)` is an event of `\(manifest.loops[first].name)`, \(others)",
            help: ["name the loop"])
    }

    private static func payload(
        _ content: ControlRequest.Content, of event: EventModel
    ) throws(ControlFault) -> Record {
        let payload: Record
        do {
            switch content {
            case .payload(let value): payload = try Record(event.type, jsonValue: value)
            case .texts(let texts):
                payload = try Record(event.type, jsonValue: value(of: texts, as: event.type))
            }
        } catch {
            let fields = event.type.fields.map(\.name)
            let message = "the fields of `\(event.name)` are not right: \(error)"
            guard error.code == .unknownName, let name = error.path.first ?? unknown(content, fields) else {
                throw ControlFault(.invalidPayload, message)
            }
            throw ControlFault(.invalidPayload, message, of: name, among: fields, called: "its fields")
        }
        guard payload.pointers.isEmpty else {
            throw ControlFault(
                .invalidPayload,
                "an address cannot come from outside: the pointers of `\(event.name)` can only be null")
        }
        return payload
    }

    /// The first name that is none of the fields.
    private static func unknown(_ content: ControlRequest.Content, _ fields: [String]) -> String? {
        switch content {
        case .texts(let texts): return texts.map(\.name).first { !fields.contains($0) }
        case .payload(.map(let entries)):
            for case .string(let name) in entries.map(\.key) where !fields.contains(name) { return name }
            return nil
        default: return nil
        }
    }

    /// Texts as JSON has the values that they mean.
    private static func value(
        of texts: [ControlRequest.Text], as type: RecordType
    ) throws(RecordError) -> Value {
        var fields: [(String, Value)] = []
        for text in texts {
            guard let field = type.field(text.name) else {
                fields.append((text.name, .string(text.text)))
                continue
            }
            if case .pointer = field.type, text.text == "null" {
                fields.append((text.name, .null))
                continue
            }
            do { fields.append((text.name, try CallWord.value(text.text, as: field.type))) } catch {
                throw error.inside(text.name)
            }
        }
        return .record(fields)
    }

    func state(
        of place: ControlRequest.Place, _ page: ControlRequest.Page,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) {
        let (indices, key): ([Int], LoopKey?)
        do throws(ControlFault) {
            indices = try loops(named: place.loop)
            key = place.loop == nil ? nil : try loopKey(place, ofLoop: indices[0], toSend: false)
            if page != .first, place.loop == nil || key != nil || manifest.loops[indices[0]].key == nil {
                throw ControlFault(
                    .keyNotTaken, "`after` and `limit` are for the instances of a loop with a key",
                    help: ["name such a loop, and no key"])
            }
        } catch { return answer(.failure(error)) }
        waiting.async { [self] in
            do throws(AppPort.NotBegun) {
                if place.loop != nil, manifest.loops[indices[0]].key != nil {
                    return answer(try states(ofLoop: indices[0], key, page))
                }
                var states: [Value] = []
                for index in indices {
                    states.append(
                        manifest.loops[index].key == nil
                            ? json(try port.state(ofLoop: index)) : try summary(ofLoop: index))
                }
                answer(.success(.record([("ok", .bool(true)), ("states", .list(states))])))
            } catch { answer(.failure(Self.notBegun)) }
        }
    }

    func swap(plugin: String, answer: @escaping @Sendable (Value?) -> Void) {
        Task { [swap] in
            let report = await swap(plugin)
            answer(report.map { .record([("ok", .bool(true))] + $0.fields) })
        }
    }

    func reload(answer: @escaping @Sendable (Value) -> Void) { readManifest(answer) }

    func metrics() -> Value {
        .record([("ok", .bool(true)), ("metrics", .list(readMetrics().map(\.json)))])
    }

    func counters(loop: String?) throws(ControlFault) -> Value {
        let indices = try loops(named: loop)
        do throws(AppPort.NotBegun) {
            var lines: [Value] = []
            for index in indices {
                lines.append(try countersOfLoop(index))
            }
            if loop == nil { lines.append(try port.counters().json(ofApp: manifest.name)) }
            return .record([("ok", .bool(true)), ("counters", .list(lines))])
        } catch { throw Self.notBegun }
    }

    var loopNames: [String] { manifest.loops.map(\.name) }

    func loops(named name: String?) throws(ControlFault) -> [Int] {
        guard port.hasBegun else { throw Self.notBegun }
        guard let name else { return Array(manifest.loops.indices) }
        guard let index = manifest.loops.firstIndex(where: { $0.name == name }) else {
            throw ControlFault(
                .unknownLoop, "the app has no loop `\(name)`", of: name, among: manifest.loops.map(\.name),
                called: "its loops")
        }
        return [index]
    }

    func follow(loop: Int) {
        port.follow(loop: loop)
        // The present states of instances are read one page after another.
        guard manifest.loops[loop].key == nil else { return }
        // It has begun, or nobody could watch it.
        waiting.async { [port] in try? port.takeUp(loop: loop) }
    }

    func unfollow(loop: Int) { port.unfollow(loop: loop) }

    func takeStates() -> [ControlState] {
        port.takeStates().map { state in
            ControlState(
                loop: state.loop, key: manifest.loops[state.loop].key(of: state.state)?.value,
                step: state.step,
                line: Redaction.redacted(json(state).json))
        }
    }

    private func json(_ state: AppState) -> Value {
        let model = manifest.loops[state.loop]
        if let key = model.key(of: state.state) { return instance(key, state.state, ofLoop: state.loop) }
        return .record([
            ("loop", .string(model.name)), ("step", .int(Int64(state.step))),
            ("state", state.state.value),
        ])
    }

    static let notBegun = ControlFault(
        .notBegun, "the app has not begun yet", help: ["its plugins are being started"])
}

extension LoopModel {
    /// The events that may come from outside; delayed transitions stand behind them.
    fileprivate var sendable: ArraySlice<EventModel> { events.prefix { $0.delay == nil } }
}
