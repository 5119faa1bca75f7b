import Expressions
import HostLoop
import Manifest
import PluginHost
import Records

/// The events and messages that the manifest makes of one answer, prepared.
///
/// `answer` is used on the loop's executor only, the others from any thread.
// Safe because only `answer` changes anything, and all reads go through the given frame.
@safe
final class EmissionMapping: @unchecked Sendable {
    private final class Emission {
        let event: Int
        let type: RecordType
        let condition: Condition?
        let writer: RecordWriter
        // Nil until the first event is emitted.
        private var place: EventPool.Place?

        init(_ model: EmissionModel, of loop: LoopModel) {
            (event, type) = (model.event, loop.events[model.event].type)
            (condition, writer) = (model.condition, RecordWriter(model.assignments))
        }

        /// Builds the event in memory of its own. The event holds those of its pointers that are in
        /// `handles`.
        func event(
            _ frame: ExpressionFrame, holding handles: OpenHandles? = nil
        ) throws(RunFault) -> AppEvent? {
            if condition != nil, !(try condition!.holds(frame)) { return nil }
            var payload = Record(type)
            // Safe because the payload was made here, with every field initialised.
            unsafe try writer.write(frame, into: payload.unsafeMutableBase())
            if let handles, let hold = handles.hold(payload.pointers) { payload = payload.keeping(hold) }
            return AppEvent(index: event, payload: payload)
        }

        /// Emits the event in the memory of an earlier one, if there is one.
        @inline(__always)
        func emit(_ frame: ExpressionFrame, from pool: EventPool, to run: Run<AppEvent>) throws(RunFault) {
            if condition != nil, !(try condition!.holds(frame)) { return }
            if place == nil { place = pool.add(event) }
            let payload = place!.take() ?? Record(type)
            // Safe because nothing else holds it, and every field is initialised: unwritten fields are still
            // zero.
            unsafe try writer.write(frame, into: UnsafeMutableRawPointer(mutating: payload.unsafeBase))
            run.emit(AppEvent(place!.head, payload: consume payload))
        }
    }

    private let emissions: [Emission]
    private let messages: [MessageMapping]
    private let gears: AppGears
    private let journal: (loop: JournaledLoop, feedback: Int)?
    // Where the pointers are kept that the effect opens; nil when it opens none.
    private let handles: OpenHandles?
    // The only emission of a batch that has one and no messages, as most have.
    private let only: Emission?
    private let pool: EventPool

    init(_ batch: EmissionBatch, of loop: LoopContext, handles: OpenHandles? = nil) {
        self.handles = handles
        emissions = batch.emissions.map { Emission($0, of: loop.model) }
        messages = batch.messages.map { MessageMapping($0, of: loop.gears) }
        (gears, journal) = (loop.runningGears, loop.journal.map { ($0, loop.feedback) })
        only = emissions.count == 1 && messages.isEmpty && handles == nil ? emissions[0] : nil
        pool = loop.pool
    }

    /// Sends what the manifest makes of an answer, within a call on the loop's executor.
    func answer(_ frame: ExpressionFrame, to run: Run<AppEvent>) throws(RunFault) {
        // An object that is bound to a name is counted.
        guard only != nil else {
            _ = try send(frame, to: run)
            return
        }
        try only!.emit(frame, from: pool, to: run)
    }

    /// Sends what the manifest makes of an answer. It sends nothing when an expression has no value, and no
    /// message when the loop does not take the events.
    ///
    /// - Parameter wait: how long the thread may be blocked until the loop takes the events.
    /// - Returns: the answer, and the number of events.
    func send(
        _ frame: ExpressionFrame, to run: Run<AppEvent>, wait: EmissionWait = .none
    ) throws(RunFault) -> (result: EmitResult, count: Int) {
        if let only {
            guard let event = try only.event(frame) else {
                return (run.isCancelled ? .cancelled : .queued, 0)
            }
            switch wait {
            case .none: return (run.emit(event), 1)
            case .upTo(let limit): return (run.emit(event, waiting: limit), 1)
            }
        }
        let events = try events(frame)
        let messages = try messages(frame)
        let result =
            switch wait {
            case .none: run.emit(contentsOf: events)
            case .upTo(let limit): run.emit(contentsOf: events, waiting: limit)
            }
        if result == .queued { send(messages, of: run) }
        return (result, events.count)
    }

    /// The events of all emissions that hold, in order.
    func events(_ frame: ExpressionFrame) throws(RunFault) -> [AppEvent] {
        var events: [AppEvent] = []
        for emission in emissions {
            if let event = try emission.event(frame, holding: handles) { events.append(event) }
        }
        return events
    }

    /// The messages that hold, in order.
    func messages(_ frame: ExpressionFrame) throws(RunFault) -> [AppMessage] {
        var built: [AppMessage] = []
        for mapping in messages {
            guard let message = try mapping.message(frame) else { continue }
            // Its receivers are not known here, so the app keeps the pointers open.
            if let handles { handles.hold(message.payload.pointers)?.keep(message.payload.pointers) }
            built.append(message)
        }
        return built
    }

    /// Sends messages that `messages` has built.
    func send(_ messages: [AppMessage], of run: Run<AppEvent>) {
        guard let journal, !messages.isEmpty else {
            for message in messages { gears.send(message) }
            return
        }
        journal.loop.send(messages, feedback: journal.feedback, of: run, through: gears)
    }
}
