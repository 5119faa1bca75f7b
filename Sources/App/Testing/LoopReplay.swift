import Diagnostics
import Manifest
import Records

/// Makes recorded steps of one loop again, with the reducers that the manifest has now.
///
/// The steps come from the lines of a recording (`Replay`) or from a journal (`JournalReplay`).
final class LoopReplay {
    let model: LoopModel
    private let frame: ExpressionFrame
    private let native: NativeReducer?
    private let reducer: DeclarativeReducer

    /// - Parameter libraries: the plugins of native reducers; nil if no loop has one.
    init(_ model: LoopModel, config: Record, _ libraries: ReducerLibraries?) {
        (self.model, native) = (model, libraries?.reducer(of: model))
        frame = ExpressionFrame(config: config, bindings: model.bindings)
        reducer = DeclarativeReducer(model, frame: frame, takesTime: false)
    }

    /// The event of that name; of several delayed transitions of a case, the event with that delay.
    ///
    /// - Parameter payload: returns the event's fields, in the type of the manifest.
    func event(
        named name: String, _ payload: (EventModel) throws(Replay.Problem) -> Record
    ) throws(Replay.Problem) -> AppEvent {
        guard let index = model.events.firstIndex(where: { $0.name == name }) else {
            let names = model.events.map(\.name)
            throw Replay.Problem(
                .foreignRecording, "loop `\(model.name)` has no event `\(name)`", at: ["event"],
                help: [Suggestion.closest(to: name, among: names).map { "did you mean `\($0)`?" }])
        }
        let first = model.events[index]
        let payload = try payload(first)
        guard first.delay != nil else { return AppEvent(index: index, payload: payload) }
        let due = model.events.firstIndex { $0.name == first.name && $0.delay?.event == payload }
        guard let due else {
            throw Replay.Problem(
                .foreignRecording, "loop `\(model.name)` has no `\(first.name)` with that delay",
                at: ["payload", "delay"])
        }
        return AppEvent(index: due, payload: payload)
    }

    /// The state that the event makes of another one now.
    ///
    /// - Parameter time: what `now` is: nanoseconds since 1970-01-01T00:00:00Z.
    /// - Throws: when the reducer fails, or does not handle the event.
    func step(
        _ event: AppEvent, from state: Record, at time: Int64
    ) throws(Replay.Problem) -> Record {
        frame.setTime(time)
        var state = state
        let isHandled: Bool
        do { isHandled = try native.reduce(&state, event, orAsDeclared: reducer) } catch {
            throw Replay.Problem(
                .replayDiffers, "the step fails now: \(error.diagnostic.message)", at: ["event"],
                fault: error.diagnostic)
        }
        guard isHandled else {
            let name = model.events[event.index].name
            throw Replay.Problem(.replayDiffers, "`\(name)` is not handled now", at: ["event"])
        }
        return state
    }

    /// Whether the event enters a case, perhaps the one that the state is in; nil when the declared reducer does not make
    /// that step.
    func enters(_ event: AppEvent, from state: Record, at time: Int64) -> Bool? {
        guard model.reducer == nil else { return nil }
        let before = reducer.entries
        guard (try? step(event, from: state, at: time)) != nil else { return nil }
        return reducer.entries != before
    }

    /// Compares the recorded state after a step with the one that the reducers make now.
    ///
    /// - Throws: the first part that differs.
    func compare(
        _ recorded: Value, with state: Record, step: Int64, _ event: String
    ) throws(Replay.Problem) {
        let now = state.value
        guard let path = Self.difference(recorded, now, []) else { return }
        func part(_ whole: Value) -> String {
            path.reduce(Optional(whole)) { value, step in
                step.hasPrefix("[") ? value?.element(step) : value?[step]
            }?.json ?? "nothing"
        }
        let name = path.joined(separator: ".").replacing(".[", with: "[")
        throw Replay.Problem(
            .replayDiffers, "`\(name)` is \(part(now)) now, and was \(part(recorded))",
            at: ["state"] + path, notes: ["in step \(step) of loop `\(model.name)`, event `\(event)`"])
    }

    /// The path to the first part that differs; nil when the values are equal.
    static func difference(_ old: Value, _ new: Value, _ path: [String]) -> [String]? {
        switch (old, new) {
        case (.map(let old), .map(let new)):
            for entry in old {
                guard case .string(let name) = entry.key else { continue }
                guard let other = new.first(where: { $0.key == entry.key }) else { return path + [name] }
                if let found = difference(entry.value, other.value, path + [name]) { return found }
            }
            return nil
        case (.list(let old), .list(let new)) where old.count == new.count:
            for index in old.indices {
                if let found = difference(old[index], new[index], path + ["[\(index)]"]) { return found }
            }
            return nil
        // An address is valid in its own run only.
        case (.pointer, .pointer): return nil
        default: return old == new ? nil : path
        }
    }
}

extension Value {
    /// The element that `[index]` names.
    fileprivate func element(_ step: String) -> Value? {
        guard case .list(let elements) = self, let index = Int(step.dropFirst().dropLast()),
            elements.indices.contains(index)
        else { return nil }
        return elements[index]
    }
}
