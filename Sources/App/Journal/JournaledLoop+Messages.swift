import HostLoop
import Journal
import Records

// What the feedbacks of the loop send, in the journal.
extension JournaledLoop {
    /// A message that is sent when the call of its run returns.
    struct HeldMessage: Sendable {
        let message: AppMessage
        let feedback: Int
        let gears: AppGears
    }

    /// Appends messages that a run sends, and sends them with their positions. Any thread may call it.
    ///
    /// If the run's first call sends them on the loop's executor, they wait until it returns. They are then
    /// appended together with the note that the run has begun. So each end of the journal has both or neither, and
    /// the next process sends no message again.
    func send(_ messages: [AppMessage], feedback: Int, of run: Run<AppEvent>, through gears: AppGears) {
        if case .none = succession.withLock({ $0 }), run.isExecuting {
            let messages = messages.map { HeldMessage(message: $0, feedback: feedback, gears: gears) }
            guard !recorder.hasBegun(feedback: feedback, run: run.number) else { return send(own: messages) }
            return held += messages
        }
        for message in sent(messages, feedback: feedback) { gears.send(message) }
    }

    /// Sends the messages of a call that has returned, whose run is noted as begun.
    @inline(never)
    func sendHeld() {
        let messages = held
        held = []
        send(own: messages)
    }

    /// Appends messages behind what is known of the loop, and sends them, on the thread that drains the loop.
    private func send(own messages: [HeldMessage]) {
        let first = order.hold { () -> UInt64? in
            // A loop that stops may be continued already.
            guard case .none = succession.withLock({ $0 }) else { return nil }
            let before = UInt64(recorder.count)
            for held in messages {
                let message = held.message
                recorder.sent(
                    feedback: held.feedback, gear: message.gear, message: message.message, message.payload,
                    by: self.messages[message.gear][message.message])
            }
            return append() + before
        }
        for (index, held) in messages.enumerated() {
            guard let first else {
                for message in sent([held.message], feedback: held.feedback) { held.gears.send(message) }
                continue
            }
            held.gears.send(held.message.at(first + UInt64(index)))
        }
    }

    /// Appends messages that a feedback sends, together, and returns them with their positions.
    private func sent(_ sent: [AppMessage], feedback: Int) -> [AppMessage] {
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
}
