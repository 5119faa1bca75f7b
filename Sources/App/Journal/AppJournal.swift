import Diagnostics
import Glibc
import HostLoop
import Interfaces
public import Journal
public import Manifest
import PluginHost
import Records

/// The journal of an app: what the app does is written, and an app that ended continues.
///
/// May be used from any thread.
public final class AppJournal: Sendable {
    /// What was found when a journal was opened that has entries.
    public struct Recovery: Sendable {
        /// The number of loops, and the sum of their steps.
        public let loops: Int, steps: UInt64
        /// The number of runs that are begun again.
        public let runsAgain: Int
        /// The loop that ended last by its `until`, with its step and time, if all loops that have an `until` have
        /// reached it.
        public let end: (step: UInt64, time: Int64)?
        /// When the last processes began that made no step and did not end in order (`JournalState.attempts`).
        public let attempts: [Int64]
        /// The states for which effects had begun and not ended, or may have begun.
        public let begun: [Step]
    }

    /// A state of a loop.
    public struct Step: Hashable, Sendable {
        /// The loop's name.
        public let loop: String
        /// The number of the state.
        public let number: UInt64

        /// A state.
        public init(loop: String, number: UInt64) { (self.loop, self.number) = (loop, number) }
    }

    /// What an epoch says besides its schema.
    public struct Host: Sendable {
        /// The version of spinhost.
        public var version: String
        /// The path of the manifest.
        public var manifest: String
        /// How many epochs may have been lost with a damaged part of the journal.
        public var lostEpochs: UInt32

        /// A host.
        public init(version: String, manifest: String, lostEpochs: UInt32 = 0) {
            (self.version, self.manifest, self.lostEpochs) = (version, manifest, lostEpochs)
        }
    }

    /// Whether the newest states have the shape of the manifest.
    public let isCurrent: Bool
    /// How many runs of feedbacks on events cannot begin again, as they belong to states or events of another shape.
    public let forgottenRuns: Int
    /// The names of secret constants that have other values than in the last process.
    public let changedSecrets: [String]
    /// What was recovered; nil for a new journal.
    public let recovery: Recovery?
    let writer: JournalWriter
    let store: any JournalStore
    /// The number of the epoch, from 1.
    let epoch: Int
    /// By loop; nil: the loop begins in its initial state.
    let restarts: [LoopRestart?]
    /// The states of the instances that the last process has stopped in order, by their names.
    let kept: [String: SavedState]
    /// Messages that loops have not received, in order.
    let undelivered: [(message: AppMessage, receivers: [Int])]
    let schema: AppSchema
    /// The secret constants of the manifest.
    let secrets: [Epoch.Secret]
    /// What an epoch says besides its schema.
    let host: Host
    /// Opens the same journal again, to read it.
    let reading: @Sendable () throws(JournalError) -> any JournalStore
    /// Held while a thread of an effect appends, and while another epoch begins: an entry has the schema of its epoch.
    let order: EntryOrder
    private let model: JournalModel
    private let snapshots: Snapshotter
    private let listener: FailureListener
    /// Of what was read, if that was much: the next process reads less.
    private let missing: [Snapshot]
    /// Until a run begins.
    private let beginning: Lock<Beginning?>
    /// By loop: what continues the entries of the loops that continue.
    private let encoders: [LoopEncoder?]

    /// Opens the journal of a manifest's app. The app must have been checked; nothing runs yet.
    ///
    /// - Parameters:
    ///   - store: open for writing.
    ///   - model: how the journal is kept.
    ///   - skipped: a state whose effects are not begun again.
    ///   - migration: gives fields of states other values than they had.
    ///   - reached: gets each chunk before it is read, to show how far the recovery is.
    ///   - reading: opens the same journal again, to read it.
    /// - Throws: `JournalError` when the journal is damaged; `AppRefusal` when its states do not fit the manifest.
    public init(
        _ store: any JournalStore, of manifest: Manifest, _ host: Host, as model: JournalModel,
        skipping skipped: Step? = nil, migrating migration: StateMigration? = nil,
        reached: (@Sendable (Chunk) -> Void)? = nil,
        reading: @escaping @Sendable () throws(JournalError) -> any JournalStore
    ) throws {
        (self.model, self.host, self.reading, order) = (model, host, reading, EntryOrder())
        let reader = JournalReader(store, reached: reached)
        var missing: [Snapshot] = []
        let point = try reader.end(every: model.snapshotSize) { snapshot in
            missing.append(snapshot)
            // The newest is worth most.
            while missing.reduce(0, { $0 + $1.bytes.count }) > Self.mostOfSnapshots, missing.count > 1 {
                missing.removeFirst()
            }
        }
        self.missing = missing
        if let damage = point.damage { throw damage }
        let schema = AppSchema(manifest)
        let secrets = manifest.secretMACs(under: store.header.id)
        self.secrets = secrets
        let epoch = Epoch(
            time: WallClock.coarse, host: host.version, process: getpid(), manifest: host.manifest,
            plugins: [], secrets: secrets, lost: host.lostEpochs, schema: schema)
        let resumed = point.state.continued(by: epoch)
        var diagnostics: [Diagnostic] = []
        let pasts = zip(manifest.loops, resumed.loops).map { loop, past in
            loop.isJournaled ? past.carryingCauses { StateCarry.state(of: loop, from: $0) } : past
        }
        let restarts = try manifest.loops.indices.map { index in
            manifest.loops[index].isJournaled
                ? try Self.restart(
                    pasts[index], manifest, schema, resumed, point.state, reader, model, migration,
                    skipped?.loop == manifest.loops[index].name ? skipped?.number : nil, &diagnostics)
                : nil
        }
        guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        (self.schema, self.store, self.restarts, self.epoch) = (schema, store, restarts, resumed.epochs)
        let listener = FailureListener()
        self.listener = listener
        undelivered = resumed.messages.sorted { $0.key < $1.key }.map { position, message in
            (
                AppMessage(gear: message.gear, message: message.message, payload: message.payload)
                    .at(position), message.receivers.sorted()
            )
        }
        kept = point.state.kept.compactMapValues { try? SavedState(framed: $0) }
        isCurrent = point.state.epoch?.schema == schema
        forgottenRuns =
            Self.eventRuns(point.state.loops, point.state.epoch) - Self.eventRuns(pasts, resumed.epoch)
        changedSecrets = Self.changed(from: point.state.epoch?.secrets ?? [], to: epoch.secrets)
        recovery = point.state.epoch == nil ? nil : Recovery(point.state, restarts, of: manifest)
        let snapshots = Snapshotter(
            after: point, every: model.snapshotSize, keeping: Snapshotter.Retention(model.keep),
            now: { WallClock.nanoseconds }, open: reading)
        self.snapshots = snapshots
        writer = JournalWriter(
            store, after: point.last,
            JournalWriter.Timing(interval: model.interval, wallTime: { WallClock.nanoseconds }),
            onCommit: { snapshots.committed($0, by: $1) },
            onFailure: { [listener] in listener.hear($0) })
        let states = ByteWriter()
        var count = 0
        encoders = restarts.enumerated().map { index, restart in
            guard let restart else { return nil }
            let encoder = LoopEncoder(
                schema.loops[index], index: index,
                latest: schema.loops[index].feedbacks.indices.map {
                    restart.resumption.latest(ofFeedback: $0)
                })
            count +=
                migration == nil
                ? restart.write(to: encoder, time: epoch.time)
                : restart.writeState(to: encoder, time: epoch.time)
            // Safe because the bytes are borrowed for the call.
            unsafe encoder.bytes.withBytes { unsafe states.put(raw: $0) }
            encoder.bytes.removeAll()
            return encoder
        }
        beginning = Lock(Beginning(epoch: epoch, states: states, count: count))
    }

    /// Bytes of snapshots that are kept until a run begins.
    private static let mostOfSnapshots = 64 << 20

    /// The journal of the app of a changed manifest, which is to continue a running app: the same file, and another
    /// epoch. Nothing is written until the app continues (`succeed`).
    init(succeeding before: AppJournal, _ manifest: Manifest) {
        (model, host, reading, order) = (before.model, before.host, before.reading, before.order)
        (writer, store, snapshots) = (before.writer, before.store, before.snapshots)
        (listener, recovery, missing, undelivered) = (before.listener, nil, [], [])
        (schema, epoch) = (AppSchema(manifest), before.epoch + 1)
        (secrets, changedSecrets) = (manifest.secretMACs(under: before.id), [])
        (isCurrent, forgottenRuns, kept) = (true, 0, [:])
        beginning = Lock(nil)
        restarts = manifest.loops.map { _ in nil }
        encoders = manifest.loops.map { _ in nil }
    }

    /// Where a loop continues; nil when the journal does not know it.
    private static func restart(
        _ past: LoopPast, _ manifest: Manifest, _ schema: AppSchema, _ resumed: JournalState,
        _ before: JournalState, _ reader: JournalReader, _ model: JournalModel,
        _ migration: StateMigration?, _ skipped: UInt64?, _ diagnostics: inout [Diagnostic]
    ) throws -> LoopRestart? {
        let index = past.index
        let loop = manifest.loops[index]
        guard let old = before.index(ofLoop: loop.name), before.loops[old].hasBegun else { return nil }
        let last = before.loops[old]
        let state = StateCarry.state(
            of: loop, from: last.state, addressesStayValid: false, by: migration, &diagnostics)
        var (earlier, unsure): (Record?, AppEvent?)
        // A loop that is over begins nothing.
        if !last.isDelivered, last.step > 0, last.end != true {
            // The host ended before it noted what the feedbacks did for the last states. A feedback on change has
            // a new request only if its arguments differ from those for the state before.
            let first = (last.unseen + last.preceding).first?.position ?? last.position
            earlier = try Self.past(loop.name, in: reader, at: first - 1).flatMap {
                StateCarry.state(of: loop, from: $0.past.state)
            }
            if let (past, schema) = try Self.past(loop.name, in: reader, at: last.position),
                let event = past.event, let payload = past.payload,
                let own = loop.events.firstIndex(where: {
                    NamedType($0.name, $0.type) == schema.events[event]
                })
            {
                unsure = AppEvent(index: own, payload: payload)
            }
        }
        let paused = model.timers == .pause ? resumed.pauses[index] : 0
        // A step that begins a delay has the exact time, an epoch that of the last tick.
        let now = model.timers == .pause ? resumed.epoch?.time ?? 0 : WallClock.nanoseconds
        let inCase = max(0, now - last.entered - paused)
        return LoopRestart(
            past, last, schema.loops[index], of: loop, state: state,
            before: earlier,
            event: unsure, unseenStates: past.unseen.map { StateCarry.state(of: loop, from: $0.cause.state) },
            inCase: inCase, skipping: skipped)
    }

    /// What a journal says of a loop after an entry; nil if the loop had not begun.
    private static func past(
        _ loop: String, in reader: JournalReader, at position: UInt64
    ) throws -> (past: LoopPast, schema: LoopSchema)? {
        let state = try reader.point(upTo: position).state
        guard let index = state.index(ofLoop: loop), state.loops[index].hasBegun,
            let schema = state.epoch?.schema.loops[index]
        else { return nil }
        return (state.loops[index], schema)
    }

    /// The journal's id, which the keys of runs begin with.
    public var id: String { store.header.id }

    /// Counts, and whether the journal is still written.
    public var status: JournalWriter.Status { writer.status }

    /// Has `body` called once the journal cannot be written any more, on a thread that must not be blocked.
    private func onFailure(_ body: @escaping @Sendable (JournalError) -> Void) {
        listener.body.withLock { $0 = body }
        if let failure = status.failure { body(failure) }
    }

    /// Stops a run when the journal cannot be written any more, unless the app continues without it.
    func stops(_ run: AppRun) {
        guard model.whenFull == .stop else { return }
        onFailure { [weak run] _ in run?.stop() }
    }

    /// The epoch, and the states that it continues.
    private struct Beginning {
        let epoch: Epoch
        let states: ByteWriter
        /// The number of states.
        let count: Int
    }

    /// Begins the epoch, before the run has loops. A journal that nothing runs with stays as it was. Later calls do
    /// nothing.
    ///
    /// - Returns: false when it cannot be written: nothing may run.
    @discardableResult
    func begin(with plugins: [Epoch.Plugin]) -> Bool {
        guard let beginning = beginning.exchange(nil) else { return status.failure == nil }
        var epoch = beginning.epoch
        epoch.plugins = plugins
        // One chunk has all of it, so no end of the journal is without the states.
        let entries = ByteWriter()
        entries.put(epoch)
        // Safe because the bytes are borrowed for the call.
        unsafe beginning.states.withBytes { unsafe entries.put(raw: $0) }
        let append = writer.append(entries, count: 1 + beginning.count).append
        // Otherwise a process that crashes at once would leave no trace: the next one could use its keys for other
        // runs, and nobody could count the crashes.
        guard writer.wait(until: append) else { return false }
        for snapshot in missing {
            writer.perform { [snapshots] store throws(JournalError) in
                try snapshots.keep(snapshot, in: store)
            }
        }
        return true
    }

    /// The journal of a loop.
    func loop(
        _ index: Int, _ model: LoopModel, _ frame: ExpressionFrame, _ reducer: DeclarativeReducer,
        made: @escaping (borrowing Record) -> Void, stop: @escaping @Sendable () -> Void
    ) -> JournaledLoop {
        JournaledLoop(
            schema, index: index, encoders[index], to: writer, order, model, frame, reducer,
            makesStepsDurable: self.model.durability == .everyStep && model.hasDurableEffect, made: made,
            stop: stop)
    }

    /// Commits all, and closes the store. Returns when that is done.
    public func close() {
        defer { store.close() }
        writer.close()
        guard status.failure == nil else { return }
        // Without a snapshot of its end, a journal is only read more slowly.
        try? snapshots.finish(store)
    }
}

/// Hears of the journal's failure before and after a run exists.
private final class FailureListener: Sendable {
    let body = Lock<@Sendable (JournalError) -> Void>({ _ in })

    func hear(_ error: JournalError) { body.withLock { $0 }(error) }
}

extension LoopModel {
    /// Whether an effect of the loop must not be ahead of the journal.
    fileprivate var hasDurableEffect: Bool { feedbacks.contains { !$0.isDisabled && $0.isDurable } }
}
