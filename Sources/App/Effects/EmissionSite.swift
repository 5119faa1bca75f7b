import Expressions
import HostLoop
import Manifest
import PluginHost
import Records

/// The events and messages that one answer of an effect becomes, made ready to be built.
///
/// `answer` on the loop's executor only, the others from any thread.
// Safe because only `answer` changes anything, and what is read is in the frame that is given.
@safe
final class EmissionSite: @unchecked Sendable {
    private final class Emission {
        let event: Int
        let type: RecordType
        let condition: Condition?
        let writer: RecordWriter
        // Nil: no event was emitted.
        private var place: EventPool.Place?

        init(_ model: EmissionModel, of loop: LoopModel) {
            (event, type) = (model.event, loop.events[model.event].type)
            (condition, writer) = (model.condition, RecordWriter(model.assignments))
        }

        /// The event in memory of its own, which holds the pointers in it that are in `handles`.
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
            // Safe because nobody else holds it, and every field is initialised: those that are not written have stayed zero.
            unsafe try writer.write(frame, into: UnsafeMutableRawPointer(mutating: payload.unsafeBase))
            run.emit(AppEvent(place!.head, payload: consume payload))
        }
    }

    private let emissions: [Emission]
    private let messages: [MessageSite]
    private let gears: AppGears
    // Where pointers are kept that the answers open; nil when they open none.
    private let handles: OpenHandles?
    // The one of `emissions`, as most batches have.
    private let only: Emission?
    private let pool: EventPool

    init(_ batch: EmissionBatch, of loop: LoopParts, handles: OpenHandles? = nil) {
        self.handles = handles
        emissions = batch.emissions.map { Emission($0, of: loop.model) }
        messages = batch.messages.map { MessageSite($0, of: loop.gears) }
        gears = loop.runningGears
        only = emissions.count == 1 && messages.isEmpty && handles == nil ? emissions[0] : nil
        pool = loop.pool
    }

    /// Sends what an answer becomes from within a call on the loop's executor.
    func answer(_ frame: ExpressionFrame, to run: Run<AppEvent>) throws(RunFault) {
        // What is bound to a name is counted.
        guard only != nil else {
            _ = try send(frame, to: run)
            return
        }
        try only!.emit(frame, from: pool, to: run)
    }

    /// Sends what an answer becomes: nothing of it when an expression has no value, and no message when the loop does
    /// not take the events. `wait`: whether the thread may be blocked until the loop does.
    func send(
        _ frame: ExpressionFrame, to run: Run<AppEvent>, wait: EmissionWait = .none
    ) throws(RunFault) -> EmitResult {
        if let only, case .none = wait {
            guard let event = try only.event(frame) else { return run.isCancelled ? .cancelled : .queued }
            return run.emit(event)
        }
        let events = try events(frame)
        let messages = try messages(frame)
        let result =
            switch wait {
            case .none: run.emit(contentsOf: events)
            case .upTo(let limit): run.emit(contentsOf: events, waiting: limit)
            }
        if result == .queued { send(messages) }
        return result
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
        for site in messages {
            guard let message = try site.message(frame) else { continue }
            // Who receives it is not known here.
            if let handles { handles.hold(message.payload.pointers)?.keep(message.payload.pointers) }
            built.append(message)
        }
        return built
    }

    /// Sends messages that this site has built.
    func send(_ messages: [AppMessage]) {
        for message in messages { gears.send(message) }
    }
}
