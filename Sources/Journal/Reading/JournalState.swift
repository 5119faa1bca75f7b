public import Records

/// What a journal says up to a point: the fold of its entries.
///
/// It applies what the entries say that has changed. Nothing is reduced and no plugin is called, so a journal
/// means the same under any manifest.
public struct JournalState: Sendable {
    /// The epoch of the point; nil in an empty journal.
    public internal(set) var epoch: Epoch?
    /// The number of epochs.
    public internal(set) var epochs = 0
    /// When the last processes began that continued the journal, made no step and did not end in order: nanoseconds
    /// since 1970-01-01T00:00:00Z, the newest last. Of more than `mostAttempts` the newest.
    public internal(set) var attempts: [Int64] = []
    /// By the index in the schema of the epoch.
    public internal(set) var loops: [LoopPast] = []
    /// Messages that some loop has not received, by their positions.
    public internal(set) var messages: [UInt64: Message] = [:]
    /// The position of the next entry.
    public internal(set) var next: UInt64 = 1
    /// For how long no process ran since a loop entered its case, by loop, in nanoseconds.
    public internal(set) var pauses: [Int64] = []
    /// The states of plugins' instances that have stopped in order in this epoch, by the names of the instances.
    public internal(set) var kept: [String: [UInt8]] = [:]

    /// A message on its way.
    public struct Message: Sendable {
        /// The gear's index in the schema.
        public let gear: Int
        /// The message's index in the gear.
        public let message: Int
        /// Its fields.
        public let payload: Record
        /// The loops that have not taken it, by their indices.
        public var receivers: Set<Int>
    }

    /// So many attempts are known.
    public static let mostAttempts = 3

    var coders: Coders?

    /// Nothing.
    public init() {}

    /// The coders of the schema.
    final class Coders: Sendable {
        let states: [RecordCoder]
        let events: [[RecordCoder]]
        let messages: [[RecordCoder]]

        init(_ schema: AppSchema) {
            states = schema.loops.map { RecordCoder($0.state) }
            events = schema.loops.map { $0.events.map { RecordCoder($0.type) } }
            messages = schema.gears.map { $0.messages.map { RecordCoder($0.type) } }
        }
    }

    /// The index of a loop; nil when the epoch has none of that name.
    public func index(ofLoop name: String) -> Int? {
        epoch?.schema.loops.firstIndex { $0.name == name }
    }

    /// What is known when another epoch begins.
    public func continued(by epoch: Epoch) -> JournalState {
        var state = self
        state.begin(epoch)
        return state
    }

    /// Begins an epoch. A loop of the same name continues with what is known of it, until it says where it
    /// begins.
    mutating func begin(_ epoch: Epoch) {
        let before = self
        self.epoch = epoch
        epochs += 1 + Int(epoch.lost)
        // The instances change from now on. A process that crashes keeps no states.
        kept = [:]
        if let last = before.epoch, last.process != epoch.process || last.time > epoch.time {
            attempts = (attempts + [epoch.time]).suffix(Self.mostAttempts)
        }
        coders = Coders(epoch.schema)
        loops = epoch.schema.loops.enumerated().map { LoopPast($1, index: $0) }
        pauses = loops.map { _ in 0 }
        for index in loops.indices {
            let schema = epoch.schema.loops[index]
            guard let old = before.index(ofLoop: schema.name), let past = before.epoch?.schema.loops[old]
            else {
                continue
            }
            inherit(before.loops[old], past, as: index, schema)
            pauses[index] = before.pauses[old]
            guard before.loops[old].hasBegun else { continue }
            var ended = before.loops[old].time
            if !before.loops[old].isCurrent { ended = max(ended, before.epoch?.time ?? ended) }
            if epoch.time > ended { pauses[index] &+= epoch.time &- ended }
        }
        messages = before.messages.compactMapValues { message in
            carried(message, from: before.epoch?.schema)
        }
    }

    /// What is known of a loop, and of its feedbacks of the same name and trigger.
    ///
    /// Events that waited are lost with their process, so messages that became such events are not received.
    private mutating func inherit(
        _ before: LoopPast, _ old: LoopSchema, as index: Int, _ schema: LoopSchema
    ) {
        loops[index].inherit(before)
        if let event = before.event, let own = schema.events.firstIndex(of: old.events[event]) {
            loops[index].event = own
            loops[index].payloads[own] = before.payloads[event]
        }
        func translated(_ cause: LoopPast.Cause) -> LoopPast.Cause? {
            guard let event = schema.events.firstIndex(of: old.events[cause.event]) else { return nil }
            // The state has the type of its epoch. The process that begins the run again converts it.
            return LoopPast.Cause(state: cause.state, event: event, payload: cause.payload)
        }
        for step in before.unseen + before.preceding {
            guard let event = schema.events.firstIndex(of: old.events[step.cause.event]) else { continue }
            // The state has the type of its epoch. Who asks for the step again says what it is now.
            let cause = LoopPast.Cause(
                state: step.cause.state, event: event, payload: step.cause.payload)
            let seenBy = step.seenBy.compactMap { schema.feedbacks.firstIndex(of: old.feedbacks[$0]) }
            loops[index].unseen.append(
                LoopPast.UnseenStep(
                    cause: cause, step: step.step, position: step.position, epoch: step.epoch,
                    seenBy: Set(seenBy)))
        }
        for (own, feedback) in schema.feedbacks.enumerated() {
            guard let other = schema.counterpart(of: own, in: old) else { continue }
            loops[index].feedbacks[own] = before.feedbacks[other]
            loops[index].feedbacks[own].messages = []
            func carried(_ runs: [LoopPast.OpenRun]) -> [LoopPast.OpenRun] {
                runs.compactMap { run in
                    var run = run
                    run.isFromBefore = true
                    guard feedback.trigger == .event else { return run }
                    guard let cause = run.cause.flatMap({ translated($0) }) else { return nil }
                    run.cause = cause
                    return run
                }
            }
            loops[index].feedbacks[own].open = carried(before.feedbacks[other].open)
            loops[index].feedbacks[own].waiting = carried(before.feedbacks[other].waiting)
            if let first = before.preceding.first, before.feedbacks[other].seen == first.step + 1,
                let seen = loops[index].unseen.firstIndex(where: { $0.position == first.position })
            {
                loops[index].unseen[seen].seenBy.insert(own)
            }
        }
    }

    /// A message in the terms of the epoch that begins; nil if it has no counterpart.
    private func carried(_ message: Message, from old: AppSchema?) -> Message? {
        guard let old, let schema = epoch?.schema else { return nil }
        let (gear, type) = (old.gears[message.gear], old.gears[message.gear].messages[message.message])
        guard let index = schema.gears.firstIndex(where: { $0.name == gear.name }),
            let own = schema.gears[index].messages.firstIndex(of: type)
        else { return nil }
        let receivers = message.receivers.compactMap { loop in
            schema.loops.firstIndex { $0.name == old.loops[loop].name }
        }
        .filter { schema.loops[$0].receives.contains(LoopSchema.Reception(gear: index, message: own)) }
        guard !receivers.isEmpty else { return nil }
        return Message(
            gear: index, message: own, payload: message.payload, receivers: Set(receivers))
    }

    /// The loops that receive a message, by their indices.
    func receivers(gear: Int, message: Int) -> Set<Int> {
        let reception = LoopSchema.Reception(gear: gear, message: message)
        return Set(loops.indices.filter { epoch!.schema.loops[$0].receives.contains(reception) })
    }
}
