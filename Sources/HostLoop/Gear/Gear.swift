/// Passes messages between loops: every attached loop gets each message that a loop, or any other code, propagates.
///
/// A feedback made with `Feedback(attachedTo:propagating:)` from messages to events attaches its loop when the loop
/// begins, and detaches it when the loop stops. An attachment does not keep the loop running. Each loop gets the
/// messages in the order in which they were propagated. There they become events, on the loop's executor, after the
/// current step: never within the call of `propagate(event:)`. In Spin.Swift they are delivered within that call.
public final class Gear<Message: Sendable>: Sendable {
    /// An attached loop or flow.
    private struct Receiver: Sendable {
        let ticket: UInt64
        /// Messages that are not delivered yet.
        var waiting: FIFO<Message>
        /// How many messages a thread is delivering now.
        var underway = 0
        /// A delivery is asked for or under way.
        var isScheduled: Bool
        let limit: Int?
        let schedule: Schedule
    }

    private struct Contents: Sendable {
        /// In the order of attachment.
        var receivers: [Receiver] = []
        var issued: UInt64 = 0
        var kept = FIFO<Message>()
        var dropped: UInt64 = 0
        /// The messages that the next attached loop gets instead of those that are kept.
        var inherited: FIFO<Message>?
        /// The function that gets all messages once another gear has succeeded this one.
        var forward: (@Sendable (Message) -> Void)?

        func index(of ticket: UInt64) -> Int? { receivers.firstIndex { $0.ticket == ticket } }
    }

    /// Has messages delivered to the receiver with this ticket; the gear calls it without a lock.
    package typealias Schedule = @Sendable (Gear, _ ticket: UInt64) -> Void

    /// Gets each message with what became of it in one loop: whether the loop got it.
    package typealias Outcome = @Sendable (Message, _ isDelivered: Bool) -> Void

    private let replaying: Int
    /// Called on any thread, also with the lock held: it must not call the gear.
    private let outcome: Outcome?
    private let contents = Lock(Contents())

    /// Makes a gear without loops.
    /// - Parameter replaying: How many of the newest messages the gear keeps. A loop that is attached later gets them
    ///   before newer ones. With 0, a message that no loop is attached to receive is lost.
    public convenience init(replaying: Int = 0) { self.init(replaying: replaying, outcome: nil) }

    /// - Parameter outcome: Called for each message and attached loop, on any thread. It must not block, nor call the
    ///   gear.
    package init(replaying: Int, outcome: Outcome?) {
        precondition(replaying >= 0, "a gear cannot keep a negative number of messages")
        (self.replaying, self.outcome) = (replaying, outcome)
    }

    /// Queues a message to every attached loop, from any thread; never waits and never runs a loop's code
    /// (`LoopExecutor.caller` excepted).
    ///
    /// A loop whose bounded mailbox has no room does not get the message; the gear counts it.
    public func propagate(event message: Message) {
        var released: Message?
        var forward: (@Sendable (Message) -> Void)?
        let scheduled = contents.withLock { contents -> [(UInt64, Schedule)] in
            forward = contents.forward
            guard forward == nil else { return [] }
            if replaying > 0 {
                contents.kept.append(message)
                if contents.kept.count > replaying { released = contents.kept.popFirst() }
            }
            contents.inherited?.append(message)
            var scheduled: [(UInt64, Schedule)] = []
            for index in contents.receivers.indices {
                guard contents.receivers[index].waiting.count < contents.receivers[index].limit ?? .max else {
                    contents.dropped += 1
                    outcome?(message, false)
                    continue
                }
                contents.receivers[index].waiting.append(message)
                guard !contents.receivers[index].isScheduled else { continue }
                contents.receivers[index].isScheduled = true
                scheduled.append((contents.receivers[index].ticket, contents.receivers[index].schedule))
            }
            return scheduled
        }
        withExtendedLifetime(released) {}
        for (ticket, schedule) in scheduled { schedule(self, ticket) }
        forward?(message)
    }

    /// How many messages an attached loop did not get, counted for each loop: its mailbox was full, or it stopped
    /// before they became events.
    public var dropped: UInt64 { contents.withLock { $0.dropped } }

    /// How many messages wait to become events, or are becoming them, counted for each attached loop.
    public var undelivered: Int {
        contents.withLock { contents in
            contents.receivers.reduce(contents.inherited?.count ?? 0) {
                $0 + $1.waiting.count + $1.underway
            }
        }
    }

    /// The newest of the messages that the gear keeps.
    package var newest: Message? { contents.withLock { $0.kept.last } }

    /// How many receivers are attached.
    package var count: Int { contents.withLock { $0.receivers.count } }

    // MARK: - Receivers

    /// Attaches a receiver.
    /// - Parameters:
    ///   - limit: How many messages may wait for it; nil is any number.
    ///   - onCancel: Registers the function that detaches the receiver.
    ///   - schedule: Must lead to a call of `deliver(to:_:)`. No second call comes before that one returned false.
    package func attach(
        limit: Int?, onCancel: (@escaping @Sendable () -> Void) -> Void, schedule: @escaping Schedule
    ) {
        let (ticket, replays) = contents.withLock { contents in
            contents.issued += 1
            let first = contents.inherited.take() ?? contents.kept
            contents.receivers.append(
                Receiver(
                    ticket: contents.issued, waiting: first, isScheduled: !first.isEmpty, limit: limit,
                    schedule: schedule))
            return (contents.issued, !first.isEmpty)
        }
        // A gear that nothing else refers to gets no message: its receivers need not keep it.
        onCancel { [weak self] in self?.detach(ticket) }
        if replays { schedule(self, ticket) }
    }

    private func detach(_ ticket: UInt64) {
        let receiver = contents.withLock { contents -> Receiver? in
            guard let index = contents.index(of: ticket) else { return nil }
            let receiver = contents.receivers.remove(at: index)
            contents.dropped += UInt64(receiver.waiting.count)
            return receiver
        }
        if let outcome, var left = receiver?.waiting {
            while let message = left.popFirst() { outcome(message, false) }
        }
        withExtendedLifetime(receiver) {}
    }

    /// Delivers the messages that wait for a receiver now. Later ones wait for the next delivery, since the receiver
    /// may have other work.
    /// - Parameter body: Returns what became of the message.
    /// - Returns: whether messages came in the meantime: then the caller must see to another delivery.
    package func deliver(to ticket: UInt64, _ body: (Message) -> EmitResult) -> Bool {
        var messages = contents.withLock { contents -> FIFO<Message> in
            guard let index = contents.index(of: ticket) else { return FIFO() }
            let waiting = contents.receivers[index].waiting
            contents.receivers[index].waiting = FIFO()
            contents.receivers[index].underway = waiting.count
            return waiting
        }
        var refused: UInt64 = 0
        while let message = messages.popFirst() {
            let isDelivered = body(message) == .queued
            if !isDelivered { refused += 1 }
            outcome?(message, isDelivered)
        }
        return contents.withLock { contents in
            contents.dropped += refused
            guard let index = contents.index(of: ticket) else { return false }
            contents.receivers[index].underway = 0
            contents.receivers[index].isScheduled = !contents.receivers[index].waiting.isEmpty
            return contents.receivers[index].isScheduled
        }
    }

    // MARK: - Succession

    /// Continues another gear, which has one loop: with the messages that it keeps, and with those that wait. The next
    /// attached loop gets the latter. The other gear forwards later messages to this one.
    /// - Parameter carried: Turns a message of that gear into one of this gear. It returns nil for a message that means
    ///   nothing here, which counts as dropped. Called on any thread, and with the locks of both gears held: it must
    ///   call neither.
    package func succeed(_ other: Gear, carrying carried: @escaping @Sendable (Message) -> Message?) {
        other.contents.withLock { old in
            contents.withLock { contents in
                func carry(_ messages: FIFO<Message>) -> FIFO<Message> {
                    var (left, made) = (messages, FIFO<Message>())
                    while let message = left.popFirst() {
                        if let message = carried(message) {
                            made.append(message)
                        } else {
                            contents.dropped += 1
                            other.outcome?(message, false)
                        }
                    }
                    return made
                }
                contents.kept = carry(old.kept)
                while contents.kept.count > replaying { _ = contents.kept.popFirst() }
                var waiting = old.inherited
                for index in old.receivers.indices {
                    waiting = old.receivers[index].waiting
                    old.receivers[index].waiting = FIFO()
                }
                contents.inherited = waiting.map(carry)
            }
            old.kept = FIFO()
            old.forward = { [self, outcome = other.outcome] message in
                if let message = carried(message) {
                    propagate(event: message)
                } else {
                    contents.withLock { $0.dropped += 1 }
                    outcome?(message, false)
                }
            }
        }
    }
}
