import Diagnostics
import Glibc
import HostLoop
import Journal
import Manifest
import Records

/// The journal of one running loop: what the engine tells it becomes entries.
///
/// A step is appended at once. What the host knows of runs is appended with the next step, or when the loop
/// rests.
// Safe because the engine calls it on the thread that drains the loop; `sent` and `faulted` only append.
final class JournaledLoop: LoopJournal, @unchecked Sendable {
    private let writer: JournalWriter
    // Another one only before the loop begins.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) var encoder: LoopEncoder
    let schema: AppSchema
    let index: Int
    private let messages: [[RecordCoder]]
    private let frame: ExpressionFrame
    private let reducer: DeclarativeReducer
    private let clock: StepClock
    /// By feedback: whether its effect has one answer, which it gives on another executor or after its call.
    private let answersLater: [Bool]
    /// Whether a step is durable before its effects begin.
    let makesStepsDurable: Bool
    /// With that: called when a step becomes the state of the loop.
    private let made: (borrowing Record) -> Void
    /// What `now` was in the steps that are recorded and not delivered.
    @safe @exclusivity(unchecked) private var times = FIFO<Int64>()
    /// Whether several steps were recorded together.
    @safe @exclusivity(unchecked) private var areTogether = false
    /// What the loop does again, as it may have not seen all steps of an earlier process.
    var unseen: [(feedback: Int, index: Int, state: Record)] = []
    /// Whether the loop continues what another process has left, or a loop of the app before.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) var isResumed: Bool
    /// By `AppEvent.message`: the feedback that receives the message.
    private let receivers: [Int]
    /// Held by threads of effects while they append, and while another epoch begins.
    private let order: EntryOrder
    /// What follows when the app has a changed manifest.
    let succession = Lock(Succession.none)
    /// Stops the loop, so that it begins no effect of a step that is not durable.
    private let stop: @Sendable () -> Void
    // Entries with a position that are not appended yet.
    // Safe because one thread at a time uses them.
    @safe @exclusivity(unchecked) var count = 0
    @safe @exclusivity(unchecked) private var entries: UInt64 = 0
    /// The senders that wait for entries which are not appended yet, by the number of entries before each.
    // Safe because one thread at a time uses them.
    @safe @exclusivity(unchecked) private var receipts: [(receipt: JournalReceipt, entry: Int)] = []
    /// Whether the feedbacks have seen a state that the journal does not know of.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) var isFresh = false

    init(
        _ schema: AppSchema, index: Int, _ encoder: LoopEncoder?, to writer: JournalWriter,
        _ order: EntryOrder, _ model: LoopModel,
        _ frame: ExpressionFrame, _ reducer: DeclarativeReducer, makesStepsDurable: Bool,
        made: @escaping (borrowing Record) -> Void, stop: @escaping @Sendable () -> Void
    ) {
        (self.makesStepsDurable, self.made, self.stop) = (makesStepsDurable, made, stop)
        (self.writer, self.index, self.frame, self.reducer) = (writer, index, frame, reducer)
        (self.schema, self.order, isResumed) = (schema, order, encoder != nil)
        let gears = model.receivedGears
        receivers = MessageReceiver.received(by: model).map { received in
            gears.firstIndex(of: received.gear) ?? -1
        }
        self.encoder = encoder ?? LoopEncoder(schema.loops[index], index: index)
        messages = schema.gears.map { $0.messages.map { RecordCoder($0.type) } }
        answersLater =
            model.receivedGears.map { _ in false }
            + model.feedbacks.filter { !$0.isDisabled }.map(\.answersLater)
            + model.delays.map { _ in true }
        clock =
            model.readsNow ? .expressions : model.events.contains { $0.delay != nil } ? .fine : .coarse
    }

    /// What continues a loop when its app has a changed manifest.
    enum Succession: Sendable {
        /// Nothing so far.
        case none
        /// Nothing: the loop is gone, or has no journal any more.
        case nobody
        case loop(JournaledLoop, feedbacks: [Int: Int], message: @Sendable (AppMessage) -> AppMessage?)
    }

    private enum StepClock {
        /// The time that the expressions of the step have read.
        case expressions
        case fine
        /// The time of the last tick of the kernel, some milliseconds ago at most: a fine time would cost a step
        /// a fifth more.
        case coarse
    }

    private var time: Int64 {
        switch clock {
        case .expressions: frame.time
        case .fine: WallClock.nanoseconds
        case .coarse: WallClock.coarse
        }
    }

    func append(waiting: Bool = false) {
        guard encoder.bytes.count > 0 else { return }
        let place = writer.append(encoder.bytes, count: count)
        if !receipts.isEmpty { settleReceipts(place) }
        if waiting, !writer.wait(until: place.append) { stop() }
        encoder.bytes.removeAll()
        count = 0
    }

    /// Notes the sender of the next entry's event, if it waits for the journal.
    @inline(never)
    private func noteReceipt(of payload: Record) {
        guard let receipt = payload.kept as? JournalReceipt else { return }
        receipts.append((receipt, count))
    }

    /// Answers the senders once the entries are committed.
    private func settleReceipts(_ place: (position: UInt64, append: UInt64)) {
        let receipts = receipts
        self.receipts = []
        writer.whenDurable(place.append, hurries: true) { [writer] isDurable in
            for (receipt, entry) in receipts {
                let failure = isDurable ? nil : writer.status.failure.map { AppPort.Durability.failed($0) }
                receipt.settle(
                    isDurable ? .durable(position: place.position + UInt64(entry)) : failure ?? .stopped)
            }
        }
    }

    // MARK: - From the loop's reporter

    func started(_ state: Record, step: UInt64) {
        // What a loop continues is in the journal with the epoch.
        guard !isResumed else {
            for (feedback, index, state) in unseen {
                encoder.asked(feedback: feedback, unseen: index, in: state)
            }
            unseen = []
            isFresh = true
            return
        }
        encoder.started(state, step: step, time: time)
        count += 1
        isFresh = true
        append(waiting: makesStepsDurable)
    }

    func stopped(isDone: Bool) {
        order.hold {
            // A loop that is not continued stops after the epoch of the changed manifest has begun.
            guard case .none = succession.withLock({ $0 }) else { return }
            encoder.finished(time: time, isDone: isDone)
            count += 1
            append()
        }
    }

    // MARK: - From the engine

    func stepped(
        _ event: borrowing AppEvent, to state: borrowing Record, feedback: Int32, run: UInt64, endsEntry: Bool
    ) {
        if feedback >= 0, endsEntry { answered(Int(feedback), run) }
        let feedback = feedback < 0 ? origin(of: event) : Int(feedback)
        let hasEntered = reducer.entries != entries
        if hasEntered { entries = reducer.entries }
        if makesStepsDurable { recordedTogether() }
        encoder.step(
            event: event.index, event.payload, feedback: feedback, run: run, time: time, state: state,
            entered: hasEntered)
        if feedback < 0 { noteReceipt(of: event.payload) }
        count += 1
        isFresh = true
        if !makesStepsDurable { append() }
    }

    /// A step is recorded, and not delivered yet.
    private func recordedTogether() {
        if !times.isEmpty {
            areTogether = true
            encoder.precedes()
        }
        times.append(frame.time)
    }

    func makeDurable() {
        // What only says that events made no state need not be durable.
        if !times.isEmpty { append(waiting: true) }
    }

    func delivers(_ state: borrowing Record) {
        if let time = times.popFirst() { frame.setTime(time) }
        made(state)
    }

    func delivered() {
        // One step alone is known to be delivered by what follows it.
        guard areTogether else { return }
        encoder.delivered()
        if times.isEmpty { areTogether = false }
    }

    /// The feedback of an event that has no run: the receiver of a message that waited in the loop before, or none.
    @inline(__always)
    private func origin(of event: borrowing AppEvent) -> Int { event.message.map { receivers[$0] } ?? -1 }

    /// The answer of a run is reduced, which ends it if it has one answer.
    ///
    /// On another executor, an effect answers a little before its run ends. Without this note, a process that ends
    /// between both would have the effect called again although its result is in the journal.
    @inline(__always)
    private func answered(_ feedback: Int, _ run: UInt64) {
        if answersLater[feedback] { encoder.ended(feedback: feedback, run: run, .finished) }
    }

    func refused(
        _ event: AppEvent, _ why: JournalRefusal, feedback: Int32, run: UInt64, endsEntry: Bool
    ) {
        if feedback >= 0, endsEntry, why != .withdrawn { answered(Int(feedback), run) }
        let feedback = feedback < 0 ? origin(of: event) : Int(feedback)
        let refusal: Refusal =
            switch why {
            case .unhandled: .unhandled
            case .failed: .failed
            case .withdrawn: .withdrawn
            }
        encoder.refused(
            event: event.index, event.payload, feedback: feedback, run: run, time: WallClock.coarse, refusal)
        if feedback < 0 { noteReceipt(of: event.payload) }
        count += 1
        isFresh = true
    }

    func began(feedback: Int32, run: UInt64, events: Int?, hasWaited: Bool) {
        encoder.began(feedback: Int(feedback), run: run, events: events, hasWaited: hasWaited)
    }

    func ended(feedback: Int32, run: UInt64, isCancelled: Bool) {
        encoder.ended(feedback: Int(feedback), run: run, isCancelled ? .cancelled : .finished)
        isFresh = true
    }

    func asked(feedback: Int32) { encoder.asked(feedback: Int(feedback)) }

    func forgot(feedback: Int32) { encoder.forgot(feedback: Int(feedback)) }

    func rested() {
        guard isFresh || encoder.bytes.count > 0 else { return }
        encoder.delivered()
        isFresh = false
        append()
    }

    /// A message has become events of the loop, which wait, or none.
    func received(_ message: AppMessage, feedback: Int, events: Int) {
        guard message.position > 0 else { return }
        encoder.received(feedback: feedback, position: message.position, events: events)
    }

    // MARK: - From any thread

    /// Appends messages that a feedback sends, together, and returns them with their positions.
    func sent(_ sent: [AppMessage], feedback: Int) -> [AppMessage] {
        let (placed, next) = order.hold { () -> ([AppMessage], Succession) in
            let next = succession.withLock { $0 }
            guard case .none = next else { return (sent, next) }
            return (append(sent, feedback), .none)
        }
        // A run of the loop before sends them: they are messages of its app.
        guard case .loop(let loop, let feedbacks, let carried) = next, let own = feedbacks[feedback]
        else { return placed }
        return placed.map { message in
            carried(message).map { message.at(loop.sent([$0], feedback: own)[0].position) } ?? message
        }
    }

    private func append(_ sent: [AppMessage], _ feedback: Int) -> [AppMessage] {
        let entries = ByteWriter()
        for message in sent {
            entries.sent(
                loop: index, feedback: feedback, gear: message.gear, message: message.message,
                message.payload, by: messages[message.gear][message.message])
        }
        let first = writer.append(entries, count: sent.count).position
        return sent.enumerated().map { $1.at(first + UInt64($0)) }
    }

    func faulted(_ fault: AppFault) {
        let next = order.hold { () -> Succession in
            let next = succession.withLock { $0 }
            guard case .none = next else { return next }
            let entry = ByteWriter()
            entry.fault(
                loop: index, time: WallClock.nanoseconds, code: fault.diagnostic.code.rawValue,
                part: fault.part,
                message: fault.diagnostic.message)
            writer.append(entry, count: 1)
            return .none
        }
        if case .loop(let loop, _, _) = next { loop.faulted(fault) }
    }
}

extension WallClock {
    /// The same, as of the last tick of the kernel (`CLOCK_REALTIME_COARSE`): cheaper, and up to some
    /// milliseconds late.
    static var coarse: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
