import Records

extension JournalState {
    mutating func applyNote(
        _ kind: EntryKind, _ loop: Int, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let count = loops[loop].feedbacks.count
        switch kind {
        case .began: try applyBegan(loop, &reader)
        case .ended:
            let feedback = try reader.index(below: count)
            let run = loops[loop].feedbacks[feedback].latest &- UInt64(bitPattern: try reader.signed())
            guard let end = RunEnd(rawValue: try reader.byte()) else {
                throw DamagedBytes("there is no such end of a run")
            }
            let isDelay =
                end == .finished && epoch!.schema.loops[loop].feedbacks[feedback].trigger == .delay
            loops[loop].feedbacks[feedback].end(run, isDelay: isDelay)
        case .asked:
            let number = try reader.index(below: 3 * count)
            guard number < 2 * count else {
                try askForUnseen(loop, number - 2 * count, &reader)
                break
            }
            guard number < count else {
                loops[loop].feedbacks[number - count].waiting.removeAll { !$0.isFromBefore }
                break
            }
            let again = loops[loop].feedbacks[number].takeAskedAgain()
            if again == nil { loops[loop].sees(number) }
            var request = again ?? openRun(loop, number)
            (request.events, request.isFromBefore) = (nil, false)
            loops[loop].feedbacks[number].waiting.append(request)
        case .received:
            let feedback = try reader.index(below: count)
            let (position, events) = (try reader.number(), try reader.number(upTo: .max >> 1))
            if events == 0 { return taken(position, by: loop) }
            loops[loop].feedbacks[feedback].messages.append((position, events))
        case .delivered:
            guard loops[loop].preceding.isEmpty else {
                loops[loop].preceding.removeFirst()
                break
            }
            loops[loop].isDelivered = true
            loops[loop].unseen = []
            for feedback in 0..<count { loops[loop].feedbacks[feedback].forgetBefore() }
        case .precedes:
            guard let event = loops[loop].event, loops[loop].isCurrent else {
                throw DamagedBytes("no step precedes another one")
            }
            let cause = LoopPast.Cause(
                state: loops[loop].state, event: event, payload: loops[loop].payloads[event])
            loops[loop].preceding.append(
                LoopPast.UnseenStep(
                    cause: cause, step: loops[loop].step, position: loops[loop].position,
                    epoch: loops[loop].epoch))
            loops[loop].precedes = true
        default: throw DamagedBytes("there is no such note")
        }
    }

    @inline(__always)
    private mutating func applyBegan(_ loop: Int, _ reader: inout ByteReader) throws(DamagedBytes) {
        let feedback = try reader.index(below: loops[loop].feedbacks.count)
        let difference = try reader.signed()
        let form = try reader.number(upTo: .max >> 1)
        let (run, request) = loops[loop].feedbacks[feedback].begin(difference, form)
        if request == nil { loops[loop].sees(feedback) }
        guard form >> 1 != 1 else { return }
        var opened = request ?? openRun(loop, feedback)
        (opened.number, opened.isFromBefore) = (run, false)
        opened.events = form >> 1 == 0 ? nil : form >> 1 - 1
        loops[loop].feedbacks[feedback].open.append(opened)
    }

    /// A run has begun, and ended in its call with the one event that makes this step.
    @inline(__always)
    mutating func applyAnswered(
        _ loop: Int, _ feedback: Int, _ reader: inout ByteReader
    ) throws(DamagedBytes) -> UInt64 {
        let (run, request) = loops[loop].feedbacks[feedback].begin(try reader.signed(), 2 << 1)
        if request == nil { loops[loop].sees(feedback) }
        let step = request?.step ?? loops[loop].preceding.first?.step ?? loops[loop].step
        loops[loop].feedbacks[feedback].ended = (run, step)
        return run
    }

    /// A run is asked for again for a step of an earlier process.
    private mutating func askForUnseen(
        _ loop: Int, _ feedback: Int, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let index = try reader.index(below: loops[loop].unseen.count)
        let step = loops[loop].unseen[index]
        let cause = LoopPast.Cause(
            state: try coders!.states[loop].read(&reader), event: step.cause.event,
            payload: step.cause.payload)
        loops[loop].unseen[index].seenBy.insert(feedback)
        loops[loop].feedbacks[feedback].waiting.append(
            LoopPast.OpenRun(
                number: 0, step: step.step, events: nil, cause: cause, epoch: step.epoch,
                isFromBefore: true))
    }

    /// A request for the first state that the feedbacks have not seen.
    private func openRun(_ loop: Int, _ feedback: Int) -> LoopPast.OpenRun {
        if let first = loops[loop].preceding.first {
            let isOnEvents = epoch!.schema.loops[loop].feedbacks[feedback].trigger == .event
            return LoopPast.OpenRun(
                number: 0, step: first.step, events: nil, cause: isOnEvents ? first.cause : nil,
                epoch: first.epoch)
        }
        var cause: LoopPast.Cause?
        if epoch!.schema.loops[loop].feedbacks[feedback].trigger == .event, loops[loop].isCurrent,
            let event = loops[loop].event
        {
            cause = LoopPast.Cause(
                state: loops[loop].state, event: event, payload: loops[loop].payloads[event])
        }
        return LoopPast.OpenRun(
            number: 0, step: loops[loop].step, events: nil, cause: cause,
            epoch: loops[loop].isDelivered ? epochs : loops[loop].epoch)
    }

    /// An event of a run was reduced or withdrawn.
    @inline(__always)
    mutating func reduced(_ feedback: Int, _ run: UInt64, _ loop: Int) {
        if !loops[loop].feedbacks[feedback].messages.isEmpty { received(feedback, loop) }
        if !loops[loop].feedbacks[feedback].open.isEmpty { loops[loop].feedbacks[feedback].reduced(run) }
    }

    /// An event of the message that came first was reduced.
    private mutating func received(_ feedback: Int, _ loop: Int) {
        loops[loop].feedbacks[feedback].messages[0].events -= 1
        loops[loop].feedbacks[feedback].received = loops[loop].feedbacks[feedback].messages[0].position
        guard loops[loop].feedbacks[feedback].messages[0].events == 0 else { return }
        let position = loops[loop].feedbacks[feedback].messages.removeFirst().position
        taken(position, by: loop)
    }

    private mutating func taken(_ position: UInt64, by loop: Int) {
        messages[position]?.receivers.remove(loop)
        if messages[position]?.receivers.isEmpty == true { messages[position] = nil }
    }
}
