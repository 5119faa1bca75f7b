public import Records

extension JournalReader {
    /// How many bytes are read before the caller can end it.
    static let piece = 1 << 20

    /// The position of the entry in which a loop reached a step: its start for the first one. Nil for
    /// a step that the journal does not have.
    ///
    /// A binary search over the snapshots finds where to read.
    ///
    /// - Parameter loop: the loop's name; nil: any that reaches the step first.
    public func position(ofStep step: UInt64, of loop: String?) throws(JournalError) -> UInt64? {
        let start = try start()
        // A pruned journal still has the states that it begins with.
        if start.state.steps(of: loop).contains(step) { return start.state.next - 1 }
        func isBefore(_ state: JournalState) -> Bool {
            state.steps(of: loop).max().map { $0 < step } ?? true
        }
        let point = try skip(from: latest(from: start, where: isBefore)) { isBefore($0.state) }
        return try first(after: point) { placed, state in
            let index: Int
            switch placed.entry {
            case .started(let loop, let number) where number == step: index = loop
            case .step(let made) where made.step == step: index = made.loop
            default: return false
            }
            return loop == nil || state.epoch?.schema.loops[index].name == loop
        }
    }

    /// The position of the first entry at a time or later, by the clock of the hosts; nil when all are
    /// earlier.
    ///
    /// - Parameter time: nanoseconds since 1970-01-01T00:00:00Z.
    public func position(at time: Int64) throws(JournalError) -> UInt64? {
        var point = try begin(upTo: store.chunk(committedAt: time))
        let start = try start()
        if point.state.next < start.state.next { point = start }
        point = try skip(from: point) { ($0.last?.time ?? .min) < time }
        return try first(after: point) { placed, _ in
            (placed.time ?? .min) >= time
        }
    }

    /// The position of the last entry up to a position that changed a field of a loop, or began the loop with it. Nil
    /// if the field is older than a pruned journal.
    ///
    /// It reads backwards from snapshot to snapshot until it finds a change.
    ///
    /// - Parameter value: the field's value in a state; nil if the state does not have the field.
    public func lastChange(
        in loop: String, upTo position: UInt64, of value: @escaping (Record) -> Value?
    ) throws(JournalError) -> UInt64? {
        var end = position
        while true {
            var point = try snapshot(before: end)
            let start = try start()
            if point.state.next < start.state.next { point = start }
            var known = point.state.past(of: loop).flatMap { value($0.state) }
            var hasBegun = point.state.past(of: loop) != nil
            let before = point.state.next - 1
            var found: UInt64?
            try read(into: &point, upTo: end) { placed, state in
                guard let index = placed.entry.changedLoop,
                    state.epoch?.schema.loops[index].name == loop
                else { return }
                let new = value(state.loops[index].state)
                if !hasBegun || new != known { found = placed.position }
                (known, hasBegun) = (new, true)
            }
            if let damage = point.damage { throw damage }
            if found != nil || before < start.state.next { return found }
            end = before
        }
    }

    /// The position of the first wanted entry after a point; nil without one.
    ///
    /// - Throws: also when the journal is damaged before such an entry.
    func first(
        after start: Point, where isWanted: @escaping (PlacedEntry, JournalState) -> Bool
    ) throws(JournalError) -> UInt64? {
        var point = start
        var found: UInt64?
        while found == nil {
            let chunks = point.chunks
            try read(into: &point, upTo: .max, most: Self.piece) { placed, state in
                if found == nil, isWanted(placed, state) { found = placed.position }
            }
            if found == nil, let damage = point.damage { throw damage }
            guard point.chunks > chunks else { break }
        }
        return found
    }

    /// What the newest snapshot says that is before a point which is searched, or the start.
    private func latest(
        from start: Point, where isBefore: (JournalState) -> Bool
    ) throws(JournalError) -> Point {
        var best = start
        // Without their table, a journal is only read more slowly.
        let numbers = ((try? store.snapshots()) ?? []).filter { $0 > start.last?.number ?? 0 }
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = low + (high - low) / 2
            let point = try begin(upTo: numbers[middle])
            if isBefore(point.state) {
                if point.state.next > best.state.next { best = point }
                low = middle + 1
            } else {
                high = middle
            }
        }
        return passed.latest(after: best) { isBefore($0.state) }
    }
}

extension JournalState {
    /// What is known of a loop that has begun; nil for another.
    public func past(of loop: String) -> LoopPast? {
        index(ofLoop: loop).map { loops[$0] }.flatMap { $0.hasBegun ? $0 : nil }
    }

    /// The steps of the loop, or of all loops.
    fileprivate func steps(of loop: String?) -> [UInt64] {
        guard let schema = epoch?.schema else { return [] }
        return loops.filter { past in
            past.hasBegun && (loop == nil || schema.loops[past.index].name == loop)
        }.map(\.step)
    }
}
