package import Records

// The bytes of a snapshot.
extension JournalState {
    /// The first byte of a snapshot. The first journals wrote 1, and knew no states of instances.
    private static let form: UInt8 = 2

    /// All of it as bytes, for a snapshot.
    public func encoded() -> [UInt8] {
        let writer = ByteWriter(capacity: 4096)
        writer.put(byte: epoch == nil ? 0 : Self.form)
        guard let epoch, let coders else { return writer.bytes }
        epoch.write(to: writer)
        writer.put(count: epochs)
        writer.put(next)
        for (index, loop) in loops.enumerated() { loop.write(to: writer, coders, index) }
        for pause in pauses { writer.put(signed: pause) }
        writer.put(attempts, { writer.put(signed: $0) })
        writer.put(messages.sorted { $0.key < $1.key }) { position, message in
            writer.put(position)
            writer.put(count: message.gear)
            writer.put(count: message.message)
            coders.messages[message.gear][message.message].write(message.payload, to: writer)
            writer.put(message.receivers.sorted(), { writer.put(count: $0) })
        }
        writer.put(kept.sorted { $0.key < $1.key }) { instance, state in
            writer.put(instance)
            writer.put(state)
        }
        return writer.bytes
    }

    /// Reads what `encoded` has made.
    package init(decoding bytes: [UInt8]) throws(DamagedBytes) {
        self = try ByteReader.read(bytes) { reader throws(DamagedBytes) in
            let state = try JournalState(&reader)
            guard reader.isAtEnd else { throw DamagedBytes("a snapshot is too long") }
            return state
        }
    }

    private init(_ reader: inout ByteReader) throws(DamagedBytes) {
        self.init()
        let form = try reader.byte()
        guard form > 0 else { return }
        let epoch = try Epoch(&reader)
        begin(epoch)
        epochs = try reader.number(upTo: .max >> 1)
        next = try reader.number()
        for index in loops.indices { try loops[index].read(&reader, coders!, index) }
        for index in pauses.indices { pauses[index] = try reader.signed() }
        attempts = try reader.list { reader throws(DamagedBytes) in try reader.signed() }
        for _ in 0..<(try reader.count()) {
            let position = try reader.number()
            let gear = try reader.index(below: coders!.messages.count)
            let message = try reader.index(below: coders!.messages[gear].count)
            let payload = try coders!.messages[gear][message].read(&reader)
            let count = loops.count
            let receivers = try reader.list { reader throws(DamagedBytes) in try reader.index(below: count) }
            messages[position] = Message(
                gear: gear, message: message, payload: payload, receivers: Set(receivers))
        }
        guard form >= Self.form else { return }
        for _ in 0..<(try reader.count()) {
            let instance = try reader.text()
            // Safe because the part is copied.
            kept[instance] = unsafe Array(try reader.blob())
        }
    }
}

extension LoopPast {
    fileprivate func write(to writer: ByteWriter, _ coders: JournalState.Coders, _ index: Int) {
        writer.put(byte: (hasBegun ? 1 : 0) | (isDelivered ? 2 : 0) | (isCurrent ? 4 : 0))
        writer.put(byte: end.map { $0 ? 2 : 1 } ?? 0)
        if hasBegun, !isCurrent {
            state.type.write(to: writer)
            RecordCoder(state.type).write(state, to: writer)
        } else {
            coders.states[index].write(state, to: writer)
        }
        writer.put(step)
        writer.put(position)
        writer.put(signed: time)
        writer.put(signed: entered)
        writer.put(count: epoch)
        writer.put(count: (event ?? -1) + 1)
        if let event { coders.events[index][event].write(payloads[event], to: writer) }
        for steps in [Array(preceding), unseen] { writer.put(steps, { $0.write(to: writer, coders, index) }) }
        for feedback in feedbacks {
            writer.put(feedback.latest)
            writer.put(feedback.seen)
            writer.put(feedback.open, { $0.write(to: writer, coders, index) })
            writer.put(feedback.waiting, { $0.write(to: writer, coders, index) })
            writer.put(feedback.messages) { message in
                writer.put(message.position)
                writer.put(count: message.events)
            }
        }
    }

    fileprivate mutating func read(
        _ reader: inout ByteReader, _ coders: JournalState.Coders, _ index: Int
    ) throws(DamagedBytes) {
        let flags = try reader.byte()
        (hasBegun, isDelivered, isCurrent) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        let ending = try reader.byte()
        end = ending == 0 ? nil : ending == 2
        let coder = hasBegun && !isCurrent ? RecordCoder(try RecordType(&reader)) : coders.states[index]
        state = try coder.read(&reader)
        (step, position) = (try reader.number(), try reader.number())
        (time, entered) = (try reader.signed(), try reader.signed())
        epoch = try reader.number(upTo: .max >> 1)
        let last = try reader.number(upTo: coders.events[index].count) - 1
        event = last < 0 ? nil : last
        if let event { payloads[event] = try coders.events[index][event].read(&reader) }
        let steps = try reader.list { reader throws(DamagedBytes) in try UnseenStep(&reader, coders, index) }
        preceding = ArraySlice(steps)
        unseen = try reader.list { reader throws(DamagedBytes) in try UnseenStep(&reader, coders, index) }
        for feedback in feedbacks.indices {
            var past = FeedbackPast()
            past.latest = try reader.number()
            past.seen = try reader.number()
            past.open = try reader.list { reader throws(DamagedBytes) in
                try OpenRun(&reader, coders, index)
            }
            past.waiting = try reader.list { reader throws(DamagedBytes) in
                try OpenRun(&reader, coders, index)
            }
            past.messages = try reader.list { reader throws(DamagedBytes) in
                (position: try reader.number(), events: try reader.number(upTo: .max >> 1))
            }
            guard past.messages.allSatisfy({ $0.events > 0 }) else {
                throw DamagedBytes("a message without events waits")
            }
            feedbacks[feedback] = past
        }
    }
}

extension LoopPast.OpenRun {
    fileprivate func write(to writer: ByteWriter, _ coders: JournalState.Coders, _ loop: Int) {
        writer.put(number)
        writer.put(step)
        writer.put(count: events.map { $0 + 1 } ?? 0)
        writer.put(count: epoch)
        writer.put(byte: (cause == nil ? 0 : 1) | (isFromBefore ? 2 : 0))
        cause?.write(to: writer, coders, loop)
    }

    fileprivate init(
        _ reader: inout ByteReader, _ coders: JournalState.Coders, _ loop: Int
    ) throws(DamagedBytes) {
        (number, step) = (try reader.number(), try reader.number())
        let form = try reader.number(upTo: .max >> 1)
        events = form == 0 ? nil : form - 1
        epoch = try reader.number(upTo: .max >> 1)
        let flags = try reader.byte()
        isFromBefore = flags & 2 != 0
        guard flags & 1 != 0 else { return }
        cause = try LoopPast.Cause(&reader, coders, loop)
    }
}

extension LoopPast.Cause {
    fileprivate func write(to writer: ByteWriter, _ coders: JournalState.Coders, _ loop: Int) {
        let isCurrent = state.type == coders.states[loop].type
        writer.put(byte: isCurrent ? 1 : 0)
        if !isCurrent { state.type.write(to: writer) }
        (isCurrent ? coders.states[loop] : RecordCoder(state.type)).write(state, to: writer)
        writer.put(count: event)
        coders.events[loop][event].write(payload, to: writer)
    }

    fileprivate init(
        _ reader: inout ByteReader, _ coders: JournalState.Coders, _ loop: Int
    ) throws(DamagedBytes) {
        let isCurrent = try reader.byte() != 0
        state = try (isCurrent ? coders.states[loop] : RecordCoder(RecordType(&reader))).read(&reader)
        event = try reader.index(below: coders.events[loop].count)
        payload = try coders.events[loop][event].read(&reader)
    }
}

extension LoopPast.UnseenStep {
    fileprivate func write(to writer: ByteWriter, _ coders: JournalState.Coders, _ loop: Int) {
        cause.state.type.write(to: writer)
        RecordCoder(cause.state.type).write(cause.state, to: writer)
        writer.put(count: cause.event)
        coders.events[loop][cause.event].write(cause.payload, to: writer)
        writer.put(step)
        writer.put(position)
        writer.put(count: epoch)
        writer.put(seenBy.sorted(), { writer.put(count: $0) })
    }

    fileprivate init(
        _ reader: inout ByteReader, _ coders: JournalState.Coders, _ loop: Int
    ) throws(DamagedBytes) {
        let state = try RecordCoder(RecordType(&reader)).read(&reader)
        let event = try reader.index(below: coders.events[loop].count)
        cause = LoopPast.Cause(
            state: state, event: event, payload: try coders.events[loop][event].read(&reader))
        (step, position) = (try reader.number(), try reader.number())
        epoch = try reader.number(upTo: .max >> 1)
        seenBy = Set(
            try reader.list { reader throws(DamagedBytes) in try reader.number(upTo: .max >> 1) })
    }
}
