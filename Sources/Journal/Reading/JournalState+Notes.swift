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
            guard RunEnd(rawValue: try reader.byte()) != nil else {
                throw DamagedBytes("there is no such end of a run")
            }
            loops[loop].feedbacks[feedback].end(run)
        case .asked:
            let number = try reader.index(below: 2 * count)
            guard number < count else {
                loops[loop].feedbacks[number - count].waiting.removeAll { !$0.isFromBefore }
                break
            }
            var request = loops[loop].feedbacks[number].takeAskedAgain() ?? openRun(loop, number)
            (request.events, request.isFromBefore) = (nil, false)
            loops[loop].feedbacks[number].waiting.append(request)
        case .received:
            let feedback = try reader.index(below: count)
            let (position, events) = (try reader.number(), try reader.number(upTo: .max >> 1))
            if events == 0 { return taken(position, by: loop) }
            loops[loop].feedbacks[feedback].messages.append((position, events))
        case .delivered:
            loops[loop].isDelivered = true
            for feedback in 0..<count { loops[loop].feedbacks[feedback].forgetBefore() }
        default: throw DamagedBytes("there is no such note")
        }
    }

    private mutating func applyBegan(_ loop: Int, _ reader: inout ByteReader) throws(DamagedBytes) {
        let feedback = try reader.index(below: loops[loop].feedbacks.count)
        let run = loops[loop].feedbacks[feedback].latest &+ UInt64(bitPattern: try reader.signed())
        let form = try reader.number(upTo: .max >> 1)
        loops[loop].feedbacks[feedback].latest = max(loops[loop].feedbacks[feedback].latest, run)
        let events = form >> 1 == 0 ? nil : form >> 1 - 1
        let request =
            form & 1 != 0
            ? loops[loop].feedbacks[feedback].takeRequest()
            : loops[loop].feedbacks[feedback].take(begunAgain: run)
        guard events != 0 else { return }
        var opened = request ?? openRun(loop, feedback)
        (opened.number, opened.events, opened.isFromBefore) = (run, events, false)
        loops[loop].feedbacks[feedback].open.append(opened)
    }

    /// A request for the last state.
    private func openRun(_ loop: Int, _ feedback: Int) -> LoopPast.OpenRun {
        let past = loops[loop]
        var cause: LoopPast.Cause?
        if epoch!.schema.loops[loop].feedbacks[feedback].trigger == .event, past.isCurrent,
            let event = past.event
        {
            cause = LoopPast.Cause(state: past.state, event: event, payload: past.payloads[event])
        }
        return LoopPast.OpenRun(
            number: 0, step: past.step, events: nil, cause: cause,
            epoch: past.isDelivered ? epochs : past.epoch)
    }

    /// An event of a run was reduced or withdrawn.
    @inline(__always)
    mutating func reduced(_ feedback: Int, _ run: UInt64, _ loop: Int) {
        if !loops[loop].feedbacks[feedback].messages.isEmpty { received(feedback, loop) }
        guard !loops[loop].feedbacks[feedback].open.isEmpty,
            let index = loops[loop].feedbacks[feedback].open.firstIndex(where: { $0.number == run }),
            let events = loops[loop].feedbacks[feedback].open[index].events
        else { return }
        if events == 1 {
            loops[loop].feedbacks[feedback].ended = (run, loops[loop].feedbacks[feedback].open[index].step)
            loops[loop].feedbacks[feedback].open.remove(at: index)
        } else {
            loops[loop].feedbacks[feedback].open[index].events = events - 1
        }
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
