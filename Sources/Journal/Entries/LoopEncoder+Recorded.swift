import Records

/// What a `LoopRecorder` has recorded.
extension LoopEncoder {
    /// Writes entries that were recorded.
    ///
    /// - Parameter recorded: whole entries, at an address that is a multiple of 8.
    func encode(_ recorded: UnsafeRawBufferPointer) {
        guard let base = recorded.baseAddress else { return }
        let (bytes, states) = (bytes, states)
        var place = 0
        while place < recorded.count {
            // Safe because the recorder has written the entry there, and its values behind it.
            let entry = unsafe base.load(fromByteOffset: place, as: RecordedEntry.self)
            let payload = unsafe base + place + RecordedEntry.size
            let state = unsafe payload + RecordedEntry.padded(Int(entry.payload))
            place +=
                RecordedEntry.size + RecordedEntry.padded(Int(entry.payload))
                + RecordedEntry.padded(Int(entry.state))
            switch entry.kind {
            case .step, .answered:
                bytes.begin(entry.kind, loop: loop)
                put(entry, to: bytes)
                unsafe putPayload(of: entry, at: payload, to: bytes)
                if states.isTrivial {
                    unsafe states.writeDifference(
                        ofRecordAt: state, from: &known, whole: entry.flag, to: bytes)
                } else {
                    unsafe bytes.put(raw: UnsafeRawBufferPointer(start: state, count: Int(entry.state)))
                }
            case .began: writeBegan(entry, to: bytes)
            case .refused:
                bytes.begin(.refused, loop: loop)
                put(entry, to: bytes)
                unsafe putPayload(of: entry, at: payload, to: bytes)
                bytes.put(byte: entry.detail)
            default: unsafe encode(entry, payload, state)
            }
        }
    }

    /// Entries that a loop records seldom.
    @inline(never)
    private func encode(_ entry: RecordedEntry, _ payload: UnsafeRawPointer, _ state: UnsafeRawPointer) {
        let (feedback, number) = (Int(entry.feedback), Int(entry.event))
        switch entry.kind {
        case .started:
            start(step: entry.number, time: entry.time)
            unsafe put(state, entry.state, by: states, to: bytes)
            guard states.isTrivial else { break }
            // Safe because both are the memory of a whole record that owns none.
            unsafe known.unsafeMutableBase().copyMemory(from: state, byteCount: Int(entry.state))
        case .ended: ended(feedback: feedback, run: entry.number, RunEnd(rawValue: entry.detail)!)
        case .asked:
            switch RecordedEntry.Request(rawValue: entry.detail)! {
            case .asked: asked(feedback: feedback)
            case .forgot: forgot(feedback: feedback)
            case .unseen:
                ask(feedback: feedback, unseen: number)
                unsafe put(state, entry.state, by: states, to: bytes)
            }
        case .received: received(feedback: feedback, position: entry.number, events: number)
        case .precedes: precedes()
        case .delivered: delivered()
        case .finished: finished(time: entry.time, isDone: entry.flag)
        case .sent:
            bytes.begin(.sent, loop: loop)
            bytes.putSent(feedback: feedback, gear: number, message: Int(entry.number))
            unsafe bytes.put(raw: UnsafeRawBufferPointer(start: payload, count: Int(entry.payload)))
        case .step, .answered, .began, .refused, .epoch, .fault, .swapped, .kept:
            preconditionFailure("not an entry that is recorded seldom")
        }
    }

    @inline(__always)
    private func putPayload(of entry: RecordedEntry, at payload: UnsafeRawPointer, to bytes: ByteWriter) {
        // Safe because `events` keeps the coder.
        unsafe payloads[Int(entry.event)]._withUnsafeGuaranteedRef {
            unsafe put(payload, entry.payload, by: $0, to: bytes)
        }
    }

    /// Writes a record that was recorded: its memory if it owns no other, else what a coder has written.
    @inline(__always)
    private func put(
        _ record: UnsafeRawPointer, _ size: UInt32, by coder: RecordCoder, to bytes: ByteWriter
    ) {
        if coder.isTrivial {
            unsafe coder.write(recordAt: record, to: bytes)
        } else {
            unsafe bytes.put(raw: UnsafeRawBufferPointer(start: record, count: Int(size)))
        }
    }
}
