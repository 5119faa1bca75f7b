package import Records

extension JournalState {
    /// Applies the entries of a chunk, in order.
    ///
    /// - Parameters:
    ///   - last: the position after which only notes are applied, up to the next entry.
    ///   - visit: gets each entry with a position, after it was applied; nil: entries are not built.
    /// - Returns: whether the chunk has an entry after `last`. If not, all of the chunk is applied.
    /// - Throws: when the chunk is not what a host has written; a part of it may be applied.
    package mutating func apply(
        _ chunk: Chunk, upTo last: UInt64 = .max, _ visit: ((PlacedEntry, JournalState) -> Void)? = nil
    ) throws(DamagedBytes) -> Bool {
        next = chunk.first
        // Safe because the reader is used only while the bytes exist.
        let outcome: Result<Bool, DamagedBytes> = unsafe chunk.bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            do throws(DamagedBytes) {
                while !reader.isAtEnd {
                    let head = try reader.byte()
                    guard let kind = EntryKind(rawValue: head & 0x0f) else {
                        throw DamagedBytes("there is no such entry")
                    }
                    if kind.hasPosition, next > last { return .success(true) }
                    try apply(kind, head >> 4, &reader, visit)
                    if kind.hasPosition { next &+= 1 }
                }
                guard next == chunk.next else { throw DamagedBytes("a chunk has another number of entries") }
                return .success(false)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private mutating func apply(
        _ kind: EntryKind, _ short: UInt8, _ reader: inout ByteReader,
        _ visit: ((PlacedEntry, JournalState) -> Void)?
    ) throws(DamagedBytes) {
        switch kind {
        case .epoch:
            let epoch = try Epoch(&reader)
            begin(epoch)
            visit?(PlacedEntry(position: next, time: epoch.time, entry: .epoch(epoch)), self)
            return
        case .swapped:
            let time = try reader.signed()
            let from = try reader.text()
            let to = Epoch.Plugin(
                name: try reader.text(), version: try reader.text(), hash: try reader.text())
            let isRollBack = try reader.byte() != 0
            visit?(
                PlacedEntry(
                    position: next, time: time, entry: .swapped(from: from, to: to, isRollBack: isRollBack)),
                self)
            return
        case .kept:
            let instance = try reader.text()
            kept[instance] = unsafe Array(try reader.blob())
            return
        default: break
        }
        let loop = try short < EntryKind.largeLoop ? Int(short) : reader.number(upTo: loops.count)
        guard loops.indices.contains(loop) else { throw DamagedBytes("there is no such loop") }
        switch kind {
        case .step, .answered, .refused: try applyStep(kind, loop, &reader, visit)
        case .started: try applyStart(loop, &reader, visit)
        case .sent: try applySent(loop, &reader, visit)
        case .fault:
            let time = try reader.signed()
            let entry = Entry.fault(
                loop: loop, code: try reader.text(), part: try reader.text(), message: try reader.text())
            visit?(PlacedEntry(position: next, time: time, entry: entry), self)
        case .finished:
            let time = try reader.signed()
            let isDone = try reader.byte() != 0
            (loops[loop].end, loops[loop].time) = (isDone, time)
            attempts = []
            visit?(
                PlacedEntry(position: next, time: time, entry: .finished(loop: loop, isDone: isDone)), self)
        default: try applyNote(kind, loop, &reader)
        }
    }

    private mutating func applyStart(
        _ loop: Int, _ reader: inout ByteReader, _ visit: ((PlacedEntry, JournalState) -> Void)?
    ) throws(DamagedBytes) {
        let time = try reader.signed()
        let step = try reader.number()
        let made = try reader.number()
        let isDelivered = try reader.byte() != 0
        let event = try reader.number(upTo: coders!.events[loop].count) - 1
        if event >= 0 {
            try coders!.events[loop][event].readAgain(into: &loops[loop].payloads[event], &reader)
        }
        let latest = try reader.list { reader throws(DamagedBytes) in try reader.number() }
        guard latest.count == loops[loop].feedbacks.count else {
            throw DamagedBytes("a loop begins with other feedbacks")
        }
        loops[loop].state = try coders!.states[loop].read(&reader)
        if !loops[loop].hasBegun, loops[loop].entered == 0 { loops[loop].entered = time }
        (loops[loop].step, loops[loop].time) = (step, time)
        loops[loop].position = made == 0 ? next : made
        (loops[loop].hasBegun, loops[loop].isCurrent) = (true, true)
        (loops[loop].isDelivered, loops[loop].event, loops[loop].end) = (
            isDelivered, event < 0 ? nil : event, nil
        )
        if made == 0 { loops[loop].epoch = epochs }
        for index in latest.indices { loops[loop].feedbacks[index].latest = latest[index] }
        visit?(PlacedEntry(position: next, time: time, entry: .started(loop: loop, step: step)), self)
    }

    @inline(__always)
    private mutating func applyStep(
        _ kind: EntryKind, _ loop: Int, _ reader: inout ByteReader,
        _ visit: ((PlacedEntry, JournalState) -> Void)?
    ) throws(DamagedBytes) {
        let coders = coders!
        let event = try reader.index(below: coders.events[loop].count)
        let feedback = try reader.number(upTo: loops[loop].feedbacks.count) - 1
        var run: UInt64 = 0
        if kind == .answered {
            guard feedback >= 0 else { throw DamagedBytes("no run has answered") }
            run = try applyAnswered(loop, feedback, &reader)
        } else if feedback >= 0 {
            run = loops[loop].feedbacks[feedback].latest &- UInt64(bitPattern: try reader.signed())
        }
        loops[loop].time &+= try reader.signed()
        let before = visit == nil ? nil : loops[loop].state
        if kind != .refused {
            guard loops[loop].isCurrent else { throw DamagedBytes("a loop has a step before it begins") }
            try coders.events[loop][event].readAgain(into: &loops[loop].payloads[event], &reader)
            let isWhole = try coders.states[loop].readDifference(into: &loops[loop].state, &reader)
            if isWhole {
                loops[loop].enter(at: loops[loop].time)
                pauses[loop] = 0
            }
            loops[loop].step &+= 1
            if !attempts.isEmpty { attempts = [] }
            loops[loop].epoch = epochs
            if loops[loop].precedes {
                loops[loop].precedes = false
            } else if !loops[loop].preceding.isEmpty {
                loops[loop].preceding = []
            }
            (loops[loop].position, loops[loop].event, loops[loop].isDelivered) = (next, event, false)
            if feedback >= 0 { reduced(feedback, run, loop) }
            guard let visit, let before else { return }
            let step = step(loop, event, loops[loop].payloads[event], feedback, run, before)
            visit(PlacedEntry(position: next, time: loops[loop].time, entry: .step(step)), self)
        } else {
            // The fields of the event that made the state are kept.
            let payload = try coders.events[loop][event].read(&reader)
            guard let why = Refusal(rawValue: try reader.byte()) else {
                throw DamagedBytes("there is no such refusal")
            }
            if feedback >= 0 { reduced(feedback, run, loop) }
            guard let visit, let before else { return }
            let step = step(loop, event, payload, feedback, run, before)
            visit(PlacedEntry(position: next, time: loops[loop].time, entry: .refused(step, why)), self)
        }
    }

    private func step(
        _ loop: Int, _ event: Int, _ payload: Record, _ feedback: Int, _ run: UInt64, _ before: Record
    ) -> Entry.Step {
        Entry.Step(
            loop: loop, step: loops[loop].step, event: event, payload: payload,
            origin: feedback < 0 ? .outside : .run(feedback: feedback, number: run), before: before)
    }

    private mutating func applySent(
        _ loop: Int, _ reader: inout ByteReader, _ visit: ((PlacedEntry, JournalState) -> Void)?
    ) throws(DamagedBytes) {
        let feedback = try reader.index(below: loops[loop].feedbacks.count)
        let gear = try reader.index(below: coders!.messages.count)
        let message = try reader.index(below: coders!.messages[gear].count)
        let payload = try coders!.messages[gear][message].read(&reader)
        let receivers = receivers(gear: gear, message: message)
        if !receivers.isEmpty {
            messages[next] = Message(gear: gear, message: message, payload: payload, receivers: receivers)
        }
        visit?(
            PlacedEntry(
                position: next, time: nil,
                entry: .sent(
                    loop: loop, feedback: feedback, gear: gear, message: message, payload: payload)), self)
    }
}
