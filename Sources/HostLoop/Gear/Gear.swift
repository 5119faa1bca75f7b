/// Passes messages between loops: what one loop, or anybody, propagates is queued to every attached loop.
///
/// A loop is attached by a feedback made with `Feedback(attachedTo:propagating:)` from messages to events: when
/// the loop begins, until it stops; being attached does not keep it running. Messages reach each loop in the
/// order in which they were propagated, and become events there, on its executor, when the step at hand is
/// done: never in the call of `propagate(event:)`. In Spin.Swift they are delivered in that call.
public final class Gear<Message: Sendable>: Sendable {
    private struct Receiver: Sendable {
        /// Messages that are not delivered yet.
        var pending: FIFO<Message>
        /// Messages that are being turned into events.
        var underway = 0
        /// Somebody has asked for a delivery, or delivers.
        var isScheduled = false
        let limit: Int?
        let schedule: @Sendable () -> Void
    }

    private struct Train: Sendable {
        var receivers: [UInt64: Receiver] = [:]
        var issued: UInt64 = 0
        var kept = FIFO<Message>()
        var dropped: UInt64 = 0
        /// What the next loop that is attached gets first, in place of those that are kept.
        var inherited: FIFO<Message>?
        /// Takes all messages, once another gear is in the place of this one.
        var passOn: (@Sendable (Message) -> Void)?
    }

    private let replaying: Int
    private let train = Lock(Train())

    /// Makes a gear without loops.
    /// - Parameter replaying: So many of the last messages are kept and given to a loop that is attached
    ///   later, before newer ones. Without it a message that nobody is attached to receive is gone.
    public init(replaying: Int = 0) {
        precondition(replaying >= 0, "a gear cannot keep a negative number of messages")
        self.replaying = replaying
    }

    /// Queues a message to every attached loop, from any thread; never waits and never runs a loop's code
    /// (`LoopExecutor.caller` excepted).
    ///
    /// A loop with a bounded mailbox may have no room for it: then that loop does not get it, which is
    /// counted.
    public func propagate(event message: Message) {
        var released: Message?
        var passOn: (@Sendable (Message) -> Void)?
        let schedules = train.withLock { train -> [@Sendable () -> Void] in
            passOn = train.passOn
            guard passOn == nil else { return [] }
            if replaying > 0 {
                train.kept.append(message)
                if train.kept.count > replaying { released = train.kept.popFirst() }
            }
            // Whoever is attached next gets these, and not what is kept.
            train.inherited?.append(message)
            var schedules: [@Sendable () -> Void] = []
            for ticket in train.receivers.keys.sorted() {
                guard var receiver = train.receivers.removeValue(forKey: ticket) else { continue }
                if receiver.pending.count < receiver.limit ?? .max {
                    receiver.pending.append(message)
                    if !receiver.isScheduled { schedules.append(receiver.schedule) }
                    receiver.isScheduled = true
                } else {
                    train.dropped += 1
                }
                train.receivers[ticket] = receiver
            }
            return schedules
        }
        withExtendedLifetime(released) {}
        for schedule in schedules { schedule() }
        passOn?(message)
    }

    /// Goes on where another gear is that has one loop: with the messages that it keeps, and with those that wait, which the next loop
    /// to be attached gets. Later ones are passed on.
    /// - Parameter carried: A message of that gear as one of this; nil: it means nothing here, and counts as dropped. Called on any
    ///   thread, and with the locks of both gears held: it calls neither.
    package func takePlace(of other: Gear, _ carried: @escaping @Sendable (Message) -> Message?) {
        other.train.withLock { before in
            train.withLock { train in
                func carry(_ messages: FIFO<Message>) -> FIFO<Message> {
                    var (left, made) = (messages, FIFO<Message>())
                    while let message = left.popFirst() {
                        if let message = carried(message) { made.append(message) } else { train.dropped += 1 }
                    }
                    return made
                }
                train.kept = carry(before.kept)
                while train.kept.count > replaying { _ = train.kept.popFirst() }
                var waiting = before.inherited
                for ticket in before.receivers.keys.sorted() {
                    waiting = before.receivers[ticket]?.pending
                    before.receivers[ticket]?.pending = FIFO()
                }
                train.inherited = waiting.map(carry)
            }
            before.kept = FIFO()
            before.passOn = { [self] message in
                if let message = carried(message) {
                    propagate(event: message)
                } else {
                    train.withLock { $0.dropped += 1 }
                }
            }
        }
    }

    /// Messages that an attached loop did not get, counted for each loop: its mailbox was full, or it stopped
    /// before they became events.
    public var dropped: UInt64 { train.withLock { $0.dropped } }

    /// Messages that wait to become events, or are becoming them, counted for each attached loop.
    public var undelivered: Int {
        train.withLock { train in
            train.receivers.values.reduce(train.inherited?.count ?? 0) {
                $0 + $1.pending.count + $1.underway
            }
        }
    }

    /// How many loops are attached.
    var count: Int { train.withLock { $0.receivers.count } }

    // MARK: - Loops

    /// What a run does with a message, and what became of the events.
    typealias Delivery<Event: Sendable> = @Sendable (Message, Run<Event>) -> EmitResult

    /// Attaches a pending run for as long as it lasts; `deliver` is called as a part of it.
    func attach<Event>(_ run: Run<Event>, _ deliver: @escaping Delivery<Event>) {
        let ticket = train.withLock { train in
            train.issued += 1
            return train.issued
        }
        let schedule: @Sendable () -> Void = {
            run.resume { run in
                self.deliver(to: ticket, run, deliver)
                return .pending
            }
        }
        let replays = train.withLock { train in
            let first = train.inherited.take() ?? train.kept
            let replays = !first.isEmpty
            train.receivers[ticket] = Receiver(
                pending: first, isScheduled: replays, limit: run.operations.capacity.limit,
                schedule: schedule)
            return replays
        }
        run.onCancel {
            self.detach(ticket)
            run.finish()
        }
        if replays { schedule() }
    }

    private func detach(_ ticket: UInt64) {
        let receiver = train.withLock { train in
            let receiver = train.receivers.removeValue(forKey: ticket)
            train.dropped += UInt64(receiver?.pending.count ?? 0)
            return receiver
        }
        withExtendedLifetime(receiver) {}
    }

    /// Turns the messages that wait for a loop into events; not those that come meanwhile, for the loop has
    /// more to do.
    private func deliver<Event>(
        to ticket: UInt64, _ run: Run<Event>, _ deliver: Delivery<Event>
    ) {
        var messages = train.withLock { train -> FIFO<Message> in
            guard let receiver = train.receivers[ticket] else { return FIFO() }
            train.receivers[ticket]?.pending = FIFO()
            train.receivers[ticket]?.underway = receiver.pending.count
            return receiver.pending
        }
        var refused: UInt64 = 0
        while let message = messages.popFirst() {
            // Not as what the call emits, which a full mailbox has to take.
            if deliver(message, run) != .queued { refused += 1 }
        }
        let schedule = train.withLock { train -> (@Sendable () -> Void)? in
            train.dropped += refused
            train.receivers[ticket]?.underway = 0
            guard let receiver = train.receivers[ticket], !receiver.pending.isEmpty else {
                train.receivers[ticket]?.isScheduled = false
                return nil
            }
            return receiver.schedule
        }
        schedule?()
    }
}
