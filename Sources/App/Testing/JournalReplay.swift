import Diagnostics
public import Journal
public import Manifest
import Records

/// Makes the steps of a journal again, with the reducers that the manifest has now.
///
/// Each step begins with the state that the journal has before it. So a step that differs makes no other one
/// differ.
public struct JournalReplay {
    /// A step that was made again.
    public struct Step: Sendable {
        /// The loop's name.
        public let loop: String
        /// The number of the state that the step has made.
        public let number: UInt64
        /// Its position in the journal.
        public let position: UInt64
        /// The event's name.
        public let event: String
        /// The case of the state before; nil for a state without cases.
        public let stateCase: String?
        /// What differs now; nil when the result is the same.
        public let problem: Replay.Problem?
        /// Which version of the reducer's plugin wrote the step, if another one is loaded now.
        public let writer: String?
    }

    /// A loop of the journal's epoch.
    private struct Reader {
        /// The loop in the manifest; nil if it has none of that name.
        let replay: LoopReplay?
        /// Whether its state has the manifest's type.
        let isSame: Bool
    }

    private let manifest: Manifest
    private let libraries: ReducerLibraries?
    private let replays: [LoopReplay]
    private var epoch = 0
    private var readers: [Reader] = []
    /// By name: the plugins that the steps were made with.
    private var plugins: [String: Epoch.Plugin] = [:]
    /// The number of steps with the recorded result.
    public private(set) var same = 0

    /// A replay before the first entry.
    ///
    /// - Parameter libraries: the plugins of all native reducers; nil if no loop has one.
    public init(_ manifest: Manifest, libraries: ReducerLibraries? = nil) {
        (self.manifest, self.libraries) = (manifest, libraries)
        replays = manifest.loops.map { LoopReplay($0, config: manifest.config, libraries) }
    }

    /// Takes an entry, and makes the step again if it is one.
    ///
    /// - Parameter state: what the journal says after the entry.
    /// - Returns: nil for an entry that is no step.
    public mutating func take(_ placed: PlacedEntry, _ state: JournalState) -> Step? {
        guard let schema = state.epoch?.schema else { return nil }
        if epoch != state.epochs { begin(state, schema) }
        if case .swapped(_, let plugin, _) = placed.entry { plugins[plugin.name] = plugin }
        guard case .step(let step) = placed.entry else { return nil }
        let loop = schema.loops[step.loop]
        let reader = readers[step.loop]
        var problem: Replay.Problem?
        do throws(Replay.Problem) {
            try Self.make(step, in: loop, reader, to: state.loops[step.loop].state, at: placed.time ?? 0)
            same += 1
        } catch { problem = error }
        return Step(
            loop: loop.name, number: step.step, position: placed.position,
            event: loop.events[step.event].name,
            stateCase: step.before.caseIndex.map { step.before.type.cases[$0].name }, problem: problem,
            writer: problem == nil ? nil : reader.replay.flatMap { writer(for: $0.model) })
    }

    private mutating func begin(_ state: JournalState, _ schema: AppSchema) {
        epoch = state.epochs
        plugins = Dictionary(
            (state.epoch?.plugins ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        readers = schema.loops.map { loop in
            let replay = replays.first { $0.model.name == loop.name }
            return Reader(replay: replay, isSame: replay?.model.stateType == loop.state)
        }
    }

    private static func make(
        _ step: Entry.Step, in loop: LoopSchema, _ reader: Reader, to recorded: Record, at time: Int64
    ) throws(Replay.Problem) {
        guard let replay = reader.replay else {
            throw Replay.Problem(.foreignRecording, "the manifest has no loop `\(loop.name)`")
        }
        let (event, model) = (loop.events[step.event], replay.model)
        let own = try replay.event(named: event.name) { own throws(Replay.Problem) in
            guard own.type == event.type else {
                throw Replay.Problem(
                    .foreignRecording, "event `\(event.name)` has other fields in the manifest")
            }
            return step.payload
        }
        let before = reader.isSame ? step.before : try carried(step.before, to: model)
        let state = try replay.step(own, from: before, at: time)
        let expected = reader.isSame ? recorded.value : Self.shared(recorded, with: state)
        try replay.compare(expected, with: state, step: Int64(clamping: step.step), event.name)
    }

    /// A state of another manifest in the type of this one.
    private static func carried(_ state: Record, to model: LoopModel) throws(Replay.Problem) -> Record {
        var diagnostics: [Diagnostic] = []
        let carried = StateCarry.state(of: model, from: state, addressesStayValid: true, &diagnostics)
        guard let first = diagnostics.first else { return carried }
        throw Replay.Problem(.foreignRecording, first.message)
    }

    /// The fields of a recorded state that the other one has, too.
    private static func shared(_ recorded: Record, with state: Record) -> Value {
        guard case .map(let entries) = recorded.value else { return recorded.value }
        return .map(
            entries.filter { entry in
                guard case .string(let name) = entry.key, let own = state.field(name) else { return false }
                return recorded.field(name)?.type == own.type
                    || name == RecordType.caseField && !state.type.cases.isEmpty
            })
    }

    /// `plugin `count` 1.0.0 wrote it, 1.1.0 is loaded`; nil if the same library is loaded.
    private func writer(for loop: LoopModel) -> String? {
        guard let reference = loop.reducer, let now = libraries?.plugin(of: reference, in: manifest),
            let then = plugins[now.name], then != now
        else { return nil }
        let other = then.version == now.version ? "another build of it" : now.version
        return "plugin `\(then.name)` \(then.version) wrote it, \(other) is loaded"
    }
}
