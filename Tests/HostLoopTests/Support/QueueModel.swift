import HostLoop

/// The queue of rule 10, written as plainly as possible: one array that is searched from end to end.
struct QueueModel {
    struct Owner: Hashable {
        let feedback: Int
        let number: Int
    }

    private struct Entry {
        var events: [UInt64]
        let owner: Owner?
        var isBegun = false
    }

    private struct Slot {
        var number = 0
        var calls = 0
        var lasts = false
        var request: UInt64?
        var waiting: [QueueScript.State] = []
        /// Index in the queue of the earliest entry withdrawn in this step.
        var place: Int?
    }

    let script: QueueScript
    private var state = QueueScript.State(hash: 0)
    private var queue: [Entry?] = []
    private var slots: [Slot]
    /// Pending runs, in the order of their start, also when they are over.
    private var kept: [Owner] = []
    private var unfinished: Set<Owner> = []
    private var ended: Set<Owner> = []
    private var finished: [Owner] = []
    private var isStopped = false
    private(set) var lines: [String] = []
    private(set) var counters = LoopCounters()

    init(_ script: QueueScript) {
        self.script = script
        slots = script.kinds.map { _ in Slot() }
        deliver(nil)
        drain()
        for event in script.driving {
            guard !isStopped else { break }
            queue.append(Entry(events: [event], owner: nil))
            drain()
        }
        lines += finished.filter { !ended.contains($0) }.map { "end \($0.feedback) \($0.number)" }
        lines += unfinished.sorted { ($0.feedback, $0.number) < ($1.feedback, $1.number) }
            .map { "cancel \($0.feedback) \($0.number)" }
        counters.discarded = UInt64(queue.reduce(0) { $0 + ($1?.events.count ?? 0) })
    }

    private mutating func drain() {
        while !isStopped {
            while !finished.isEmpty { settle(finished.removeFirst()) }
            queue.removeAll { $0 == nil }
            guard var entry = queue.first ?? nil else { return }
            let event = entry.events.removeFirst()
            entry.isBegun = true
            if entry.events.isEmpty { queue.removeFirst() } else { queue[0] = entry }
            step(event, from: entry.owner)
        }
    }

    private mutating func step(_ event: UInt64, from owner: Owner?) {
        do {
            guard let next = try script.reduce(state, event) else {
                counters.unhandled += 1
                return
            }
            state = next
        } catch {
            counters.faults += 1
            return
        }
        counters.steps += 1
        lines.append(
            "step \(event) of \(owner.map { "\($0.feedback) \($0.number)" } ?? "outside") to \(state)")
        deliver(event)
        if counters.steps == QueueScript.steps { isStopped = true }
    }

    private mutating func deliver(_ event: UInt64?) {
        var starting: [Int] = []
        for index in slots.indices {
            let change = change(index, event)
            let (onNew, onNone) = ends(script.kinds[index])
            if change == .new ? onNew : change == .none && onNone { end(index) }
            if change == .new { starting.append(index) }
        }
        for index in starting {
            if isBusy(index) {
                if isQueue(script.kinds[index]) { slots[index].waiting.append(state) }
            } else {
                call(index, state)
            }
        }
        for index in slots.indices { slots[index].place = nil }
    }

    private mutating func change(_ index: Int, _ event: UInt64?) -> RequestChange {
        switch script.kinds[index] {
        case .state: return script.passes(index, state, nil) ? .new : .none
        case .event: return event != nil && script.passes(index, state, event) ? .new : .none
        case .always: return .new
        case .change:
            let request = script.request(index, state)
            defer { slots[index].request = request }
            return request == nil ? .none : request == slots[index].request ? .same : .new
        }
    }

    private func ends(_ kind: QueueScript.Kind) -> (onNew: Bool, onNone: Bool) {
        switch kind {
        case .state(.cancelOnNewState), .event(.cancelOnNewState), .change: (true, true)
        case .state(.cancelOnNewMatch), .event(.cancelOnNewMatch): (true, false)
        default: (false, false)
        }
    }

    private func isQueue(_ kind: QueueScript.Kind) -> Bool {
        switch kind {
        case .state(.queue), .event(.queue): true
        default: false
        }
    }

    private func isBusy(_ index: Int) -> Bool {
        switch script.kinds[index] {
        case .state(.queue), .state(.skipWhileRunning), .event(.queue), .event(.skipWhileRunning):
            // The loop handles the end of a run between two steps.
            unfinished.contains { $0.feedback == index } || finished.contains { $0.feedback == index }
        default: false
        }
    }

    private mutating func end(_ index: Int) {
        guard slots[index].lasts else { return }
        slots[index].lasts = false
        let owner = Owner(feedback: index, number: slots[index].number)
        ended.insert(owner)
        if unfinished.remove(owner) != nil {
            lines.append("cancel \(index) \(owner.number)")
        } else if finished.contains(owner) {
            lines.append("end \(index) \(owner.number)")
        }
        for position in queue.indices {
            guard let entry = queue[position], entry.owner == owner, !entry.isBegun else { continue }
            for event in entry.events { lines.append("withdrawn \(event) of \(index) \(owner.number)") }
            counters.withdrawn += UInt64(entry.events.count)
            queue[position] = nil
            if slots[index].place == nil { slots[index].place = position }
        }
    }

    private mutating func call(_ index: Int, _ state: QueueScript.State) {
        let isReceiving: Bool
        if case .always = script.kinds[index], slots[index].number > 0 {
            isReceiving = true
        } else {
            isReceiving = false
        }
        if !isReceiving { slots[index].number += 1 }
        slots[index].lasts = true
        let owner = Owner(feedback: index, number: slots[index].number)
        if !isReceiving { lines.append("run \(index) \(owner.number)") }
        let (actions, isPending) = script.actions(index, state, call: slots[index].calls)
        slots[index].calls += 1
        var own: Int?
        for action in actions {
            switch action {
            case .emit(let event):
                if let own {
                    queue[own]?.events.append(event)
                } else {
                    let entry = Entry(events: [event], owner: owner)
                    if let place = slots[index].place {
                        queue[place] = entry
                        own = place
                    } else {
                        queue.append(entry)
                        own = queue.count - 1
                    }
                }
            case .outside(let event): queue.append(Entry(events: [event], owner: nil))
            case .other(let choice, let events):
                guard !kept.isEmpty else { continue }
                let other = kept[Int(choice % UInt64(kept.count))]
                if unfinished.contains(other) {
                    queue.append(Entry(events: events, owner: other))
                } else {
                    counters.late += UInt64(events.count)
                    lines += events.map { "late \($0) of \(other.feedback) \(other.number)" }
                }
            case .finish(let choice):
                guard !kept.isEmpty else { continue }
                let other = kept[Int(choice % UInt64(kept.count))]
                if unfinished.remove(other) != nil { finished.append(other) }
            }
        }
        slots[index].place = nil
        if isPending, !isReceiving {
            kept.append(owner)
            unfinished.insert(owner)
        } else if !isReceiving {
            lines.append("end \(index) \(owner.number)")
        }
    }

    private mutating func settle(_ owner: Owner) {
        guard !ended.contains(owner) else { return }
        lines.append("end \(owner.feedback) \(owner.number)")
        while !slots[owner.feedback].waiting.isEmpty, !isBusy(owner.feedback) {
            call(owner.feedback, slots[owner.feedback].waiting.removeFirst())
        }
    }
}
