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
    private final class Place {
        let loop: LoopReplay
        var state: Record?
        var step: Int64 = 0
        /// Whether an event so far lacks a secret.
        var lacksSecret = false

        var model: LoopModel { loop.model }

        init(_ loop: LoopReplay) { self.loop = loop }
    }

    private let loops: [LoopReplay]
    /// By the name of the loop, with the key of an instance as JSON: those that have begun.
    private var places: [[UInt8]: Place] = [:]
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
    public var hasBegun: Bool { !places.isEmpty }

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
        guard let replay = loops.first(where: { $0.model.name == name }) else {
            let names = loops.map(\.model.name)
            throw Problem(
                .foreignRecording, "the manifest has no loop `\(name)`", at: ["loop"],
                help: [
                    Suggestion.closest(to: name, among: names).map { "did you mean `\($0)`?" },
                    "name the manifest that was recorded with `--manifest`",
                ])
        }
        let place = replay.model.key == nil ? name : "\(name)/\(state[KeyModel.name]?.json ?? "")"
        guard step > 0 else {
            let loop = Place(replay)
            loop.state = try self.state(state, of: loop, from: replay.model.initialState)
            places[Array(place.utf8)] = loop
            return
        }
        guard let loop = places[Array(place.utf8)] else {
            throw Problem(
                .notARecording, "step \(step) of `\(place)` comes before its initial state", at: ["step"],
                help: ["a recording begins with the line of step 0"])
        }
        guard step == loop.step + 1 else {
            throw Problem(
                .notARecording, "step \(step) of `\(place)` follows step \(loop.step): steps are missing",
                at: ["step"])
        }
        do { try reduce(line, to: state, loop) } catch {
            throw loop.lacksSecret && error.code != .notARecording ? withoutSecret(error) : error
        }
        loop.step = step
        steps += 1
    }

    private func reduce(_ line: Value, to recorded: Value, _ place: Place) throws(Problem) {
        guard case .string(let name)? = line["event"], let payload = line["payload"] else {
            throw Problem(.notARecording, "a step has an `event` and its `payload`")
        }
        let event = try place.loop.event(named: name) { event throws(Problem) in
            if secrets?.isMarked(payload) == true { place.lacksSecret = true }
            return try record(payload, as: event.type, at: "payload", of: "event `\(event.name)`")
        }
        let time = place.model.reducerReadsNow ? try time(line, place.model.name) : 0
        guard let before = place.state else { return }
        let state = try place.loop.step(event, from: before, at: time)
        try place.loop.compare(
            try self.state(recorded, of: place, from: state).value, with: state, step: place.step + 1, name)
        place.state = state
    }

    /// The recorded state, with its secrets put back from an own state that may be the same.
    private func state(_ recorded: Value, of loop: Place, from own: Record) throws(Problem) -> Record {
        let (type, name) = (loop.model.stateType, "the state of `\(loop.model.name)`")
        guard let secrets else { return try record(recorded, as: type, at: "state", of: name) }
        if let plain = try? Record(type, jsonValue: recorded),
            LoopReplay.difference(plain.value, own.value, []) == nil
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

extension DiagnosticCode {
    /// A recorded step that now has another result.
    public static let replayDiffers = DiagnosticCode("M110")
    /// A line of a recording is missing or malformed.
    public static let notARecording = DiagnosticCode("M111")
    /// A recording of another app, or of a manifest with other loops, events or fields.
    public static let foreignRecording = DiagnosticCode("M112")
}
