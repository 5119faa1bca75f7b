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
// Safe because the engine calls it on the thread that drains the loop; `faulted`, and `send` on
// another thread, only append.
final class JournaledLoop: LoopJournal, @unchecked Sendable {
    let writer: JournalWriter
    let recorder: LoopRecorder
    let schema: AppSchema
    let index: Int
    let messages: [[RecordCoder]]
    private let frame: ExpressionFrame
    private let reducer: DeclarativeReducer
    private let clock: StepClock
    /// By feedback: whether its effect has one answer, which it gives on another executor or after its call.
    private let answersLater: [Bool]
    /// Messages wait until their call is recorded.
    let hearsOfCallsAtOnce: Bool
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
    let order: EntryOrder
    /// What follows when the app has a changed manifest.
    let succession = Lock(Succession.none)
    /// Stops the loop, so that it begins no effect of a step that is not durable.
    private let stop: @Sendable () -> Void
    @safe @exclusivity(unchecked) private var entries: UInt64 = 0
    /// The senders that wait for entries which are not appended yet, by the number of entries before each.
    // Safe because one thread at a time uses them.
    @safe @exclusivity(unchecked) private var receipts: [(receipt: JournalReceipt, entry: Int)] = []
    /// Whether the feedbacks have seen a state that the journal does not know of.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) var isFresh = false
    /// Messages of the call that executes, which begins a run.
    // Safe because only the thread that drains the loop uses it.
    @safe @exclusivity(unchecked) var held: [HeldMessage] = []

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
        recorder = LoopRecorder(
            continuing: encoder ?? LoopEncoder(schema.loops[index], index: index), to: writer)
        messages = schema.gears.map { $0.messages.map { RecordCoder($0.type) } }
        hearsOfCallsAtOnce = model.feedbacks.contains(where: \.sendsMessages)
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

    /// - Returns: the position of the first entry.
    @discardableResult
    func append(waiting: Bool = false) -> UInt64 {
        guard let place = recorder.append() else { return 0 }
        if !receipts.isEmpty { settleReceipts(place) }
        if waiting, !writer.wait(until: place.append) { stop() }
        return place.position
    }

    /// Notes the sender of the next entry's event, if it waits for the journal.
    @inline(never)
    private func noteReceipt(of payload: Record) {
        guard let receipt = payload.kept as? JournalReceipt else { return }
        receipts.append((receipt, recorder.count))
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
                recorder.asked(feedback: feedback, unseen: index, in: state)
            }
            unseen = []
            isFresh = true
            return
        }
        recorder.started(state, step: step, time: time)
        isFresh = true
        append(waiting: makesStepsDurable)
    }

    func stopped(isDone: Bool) {
        order.hold {
            // A loop that is not continued stops after the epoch of the changed manifest has begun.
            guard case .none = succession.withLock({ $0 }) else { return }
            recorder.finished(time: time, isDone: isDone)
            append()
        }
    }

    // MARK: - From the engine

    func stepped(
        _ event: borrowing AppEvent, to state: borrowing Record, feedback: Int32, run: UInt64,
        endsEntry: Bool,
        answers: Bool
    ) {
        if feedback >= 0, endsEntry { answered(Int(feedback), run) }
        let feedback = feedback < 0 ? origin(of: event) : Int(feedback)
        let hasEntered = reducer.entries != entries
        if hasEntered { entries = reducer.entries }
        if makesStepsDurable { recordedTogether() }
        if feedback < 0 { noteReceipt(of: event.payload) }
        let appends = !makesStepsDurable && receipts.isEmpty
        recorder.step(
            event: event.index, event.payload, feedback: feedback, run: run, time: time, state: state,
            entered: hasEntered, answers: answers, appends: appends)
        isFresh = true
        if !appends, !makesStepsDurable { append() }
    }

    /// A step is recorded, and not delivered yet.
    private func recordedTogether() {
        if !times.isEmpty {
            areTogether = true
            recorder.precedes()
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
        recorder.delivered()
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
        if answersLater[feedback] { recorder.ended(feedback: feedback, run: run, .finished) }
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
        if feedback < 0 { noteReceipt(of: event.payload) }
        recorder.refused(
            event: event.index, event.payload, feedback: feedback, run: run, time: WallClock.coarse, refusal)
        isFresh = true
    }

    func began(feedback: Int32, run: UInt64, events: Int?, hasWaited: Bool) {
        recorder.began(feedback: Int(feedback), run: run, events: events, hasWaited: hasWaited)
        if !held.isEmpty { sendHeld() }
    }

    func ended(feedback: Int32, run: UInt64, isCancelled: Bool) {
        recorder.ended(feedback: Int(feedback), run: run, isCancelled ? .cancelled : .finished)
        isFresh = true
    }

    func asked(feedback: Int32) { recorder.asked(feedback: Int(feedback)) }

    func forgot(feedback: Int32) { recorder.forgot(feedback: Int(feedback)) }

    func rested() {
        guard isFresh || !recorder.isEmpty else { return }
        recorder.delivered()
        isFresh = false
        append()
    }

    /// A message has become events of the loop, which wait, or none.
    func received(_ message: AppMessage, feedback: Int, events: Int) {
        guard message.position > 0 else { return }
        recorder.received(feedback: feedback, position: message.position, events: events)
    }

    // MARK: - From any thread

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
