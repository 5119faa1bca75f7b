public import Diagnostics
import Expressions
public import Manifest
public import Records

/// Repeats the recorded steps of an app with the reducers of its manifest. Opens no library
/// itself: a loop with a native reducer needs `ReducerLibraries`.
///
/// A recording does not have the secrets of the app. The replay compares a state as the host would have
/// recorded it.
public struct Replay {
    /// A line of a recording that contradicts the manifest, or that is malformed.
    public struct Problem: Error, Sendable {
        /// The kind: `replayDiffers`, `notARecording` or `foreignRecording`.
        public let code: DiagnosticCode
        /// One sentence.
        public let message: String
        /// The names and `[index]`es that lead to the part of the line in question.
        public let path: [String]
        /// Facts, one line each.
        public let notes: [String]
        /// Advice, one line each.
        public let help: [String]
        /// The reducer's fault, when the recording has none there.
        public let fault: Diagnostic?

        init(
            _ code: DiagnosticCode, _ message: String, at path: [String] = [], notes: [String] = [],
            help: [String?] = [], fault: Diagnostic? = nil
        ) {
            (self.code, self.message, self.path, self.notes) = (code, message, path, notes)
            (self.help, self.fault) = (help.compactMap { $0 }, fault)
        }
    }

    private final class LoopReplay {
        let model: LoopModel
        let frame: ExpressionFrame
        let native: NativeReducer?
        let reducer: DeclarativeReducer
        var state: Record?
        var step: Int64 = 0
        /// Whether an event so far lacks a secret.
        var lacksSecret = false

        init(_ model: LoopModel, config: Record, _ libraries: ReducerLibraries?) {
            (self.model, native) = (model, libraries?.reducer(of: model))
            frame = ExpressionFrame(config: config)
            reducer = DeclarativeReducer(model, frame: frame, takesTime: false)
        }
    }

    private let loops: [LoopReplay]
    private let secrets: RecordedSecrets?
    /// The number of steps with the recorded result.
    public private(set) var steps = 0

    /// A replay before its first line.
    ///
    /// - Parameters:
    ///   - libraries: the plugins of all native reducers; nil if no loop has one.
    ///   - secrets: how the host has recorded secrets; nil if there are none.
    public init(
        _ manifest: Manifest, libraries: ReducerLibraries? = nil, secrets: RecordedSecrets? = nil
    ) {
        loops = manifest.loops.map { LoopReplay($0, config: manifest.config, libraries) }
        self.secrets = secrets
    }

    /// Whether a loop has begun.
    public var hasBegun: Bool { loops.contains { $0.state != nil } }

    /// Takes one line: the initial state of a loop, or a step. Other lines, such as output and faults, are
    /// passed over.
    ///
    /// - Throws: `Problem` when the step has another result now, or cannot be repeated.
    public mutating func take(_ line: Value) throws(Problem) {
        let others = ["print", "fault", "feedbacks", "swap", "build", "refused", "sent", "epoch", "ended"]
        if others.contains(where: { line[$0] != nil }) { return }
        guard case .string(let name)? = line["loop"], case .int(let step)? = line["step"],
            let state = line["state"]
        else {
            throw Problem(
                .notARecording, "this is no line of a recording",
                help: ["`spinhost run --json > FILE` records, `spinhost replay FILE` replays"])
        }
        guard let loop = loops.first(where: { $0.model.name == name }) else {
            let names = loops.map(\.model.name)
            throw Problem(
                .foreignRecording, "the manifest has no loop `\(name)`", at: ["loop"],
                help: [
                    Suggestion.closest(to: name, among: names).map { "did you mean `\($0)`?" },
                    "name the manifest that was recorded with `--manifest`",
                ])
        }
        guard step > 0 else {
            (loop.state, loop.step) = (try self.state(state, of: loop, from: loop.model.initialState), 0)
            return
        }
        guard loop.state != nil else {
            throw Problem(
                .notARecording, "step \(step) of `\(name)` comes before its initial state", at: ["step"],
                help: ["a recording begins with the line of step 0"])
        }
        guard step == loop.step + 1 else {
            throw Problem(
                .notARecording, "step \(step) of `\(name)` follows step \(loop.step): steps are missing",
                at: ["step"])
        }
        do { try reduce(line, to: state, loop) } catch {
            throw loop.lacksSecret && error.code != .notARecording ? withoutSecret(error) : error
        }
        loop.step = step
        steps += 1
    }

    private func reduce(_ line: Value, to recorded: Value, _ loop: LoopReplay) throws(Problem) {
        let events = loop.model.events
        guard case .string(let name)? = line["event"], let payload = line["payload"] else {
            throw Problem(.notARecording, "a step has an `event` and its `payload`")
        }
        guard let index = events.firstIndex(where: { $0.name == name }) else {
            throw Problem(
                .foreignRecording, "loop `\(loop.model.name)` has no event `\(name)`", at: ["event"],
                help: [
                    Suggestion.closest(to: name, among: events.map(\.name)).map { "did you mean `\($0)`?" }
                ])
        }
        if secrets?.isMarked(payload) == true { loop.lacksSecret = true }
        let event = try event(index, payload, of: loop.model)
        if loop.model.reducerReadsNow { loop.frame.setTime(try time(line, loop.model.name)) }
        guard var state = loop.state else { return }
        let isHandled: Bool
        do { isHandled = try loop.native.reduce(&state, event, orAsDeclared: loop.reducer) } catch {
            throw Problem(
                .replayDiffers, "the step fails now: \(error.diagnostic.message)", at: ["event"],
                fault: error.diagnostic)
        }
        guard isHandled else {
            throw Problem(.replayDiffers, "`\(name)` is not handled now", at: ["event"])
        }
        let recorded = try self.state(recorded, of: loop, from: state)
        if let path = Self.difference(recorded.value, state.value, []) {
            func value(_ record: Record) -> String {
                path.reduce(Optional(record.value)) { value, step in
                    step.hasPrefix("[") ? value?.element(step) : value?[step]
                }?.json ?? "nothing"
            }
            throw Problem(
                .replayDiffers,
                "`\(path.joined(separator: ".").replacing(".[", with: "["))` is \(value(state)) now, and was \(value(recorded))",
                at: ["state"] + path,
                notes: ["in step \(loop.step + 1) of loop `\(loop.model.name)`, event `\(name)`"])
        }
        loop.state = state
    }

    /// The recorded state, with its secrets put back from an own state that may be the same.
    private func state(_ recorded: Value, of loop: LoopReplay, from own: Record) throws(Problem) -> Record {
        let (type, name) = (loop.model.stateType, "the state of `\(loop.model.name)`")
        guard let secrets else { return try record(recorded, as: type, at: "state", of: name) }
        if let plain = try? Record(type, jsonValue: recorded),
            Self.difference(plain.value, own.value, []) == nil
        {
            return plain
        }
        let whole = secrets.restored(recorded, from: own.value)
        return try record(whole, as: type, at: "state", of: name)
    }

    /// The problem, with the reason that a secret may be.
    private func withoutSecret(_ problem: Problem) -> Problem {
        let note =
            "the recording has `\(secrets?.mark ?? "")` in an event: the replay does not know the text there"
        return Problem(
            problem.code, problem.message, at: problem.path, notes: problem.notes + [note],
            help: problem.help, fault: problem.fault)
    }

    /// The event of that name; of several delayed transitions of a case, the event with that delay.
    private func event(_ index: Int, _ payload: Value, of loop: LoopModel) throws(Problem) -> AppEvent {
        let first = loop.events[index]
        let payload = try record(payload, as: first.type, at: "payload", of: "event `\(first.name)`")
        guard first.delay != nil else { return AppEvent(index: index, payload: payload) }
        guard let due = loop.events.firstIndex(where: { $0.name == first.name && $0.delay?.event == payload })
        else {
            throw Problem(
                .foreignRecording, "loop `\(loop.name)` has no `\(first.name)` with that delay",
                at: ["payload", "delay"])
        }
        return AppEvent(index: due, payload: payload)
    }

    /// The path to the first part that differs; nil when the values are equal.
    private static func difference(_ old: Value, _ new: Value, _ path: [String]) -> [String]? {
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

    private func record(
        _ value: Value, as type: RecordType, at key: String, of what: String
    ) throws(Problem) -> Record {
        do { return try Record(type, jsonValue: value) } catch {
            throw Problem(
                .foreignRecording, "\(what) does not fit the manifest: \(error)",
                at: [key] + error.path,
                help: ["the manifest has other fields than the one that was recorded"])
        }
    }

    private func time(_ line: Value, _ loop: String) throws(Problem) -> Int64 {
        guard case .string(let text)? = line["now"], let time = TimeText.timestamp(ofRFC3339: text),
            let nanoseconds = time.nanosecondsSinceEpoch
        else {
            throw Problem(
                .foreignRecording,
                "the reducer of `\(loop)` reads `now`, and the step does not say when it was",
                help: ["it was recorded when no transition of the loop read `now`"])
        }
        return nanoseconds
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

extension DiagnosticCode {
    /// A recorded step that now has another result.
    public static let replayDiffers = DiagnosticCode("M110")
    /// A line of a recording is missing or malformed.
    public static let notARecording = DiagnosticCode("M111")
    /// A recording of another app, or of a manifest with other loops, events or fields.
    public static let foreignRecording = DiagnosticCode("M112")
}
