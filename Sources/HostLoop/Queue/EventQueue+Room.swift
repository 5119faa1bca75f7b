/// What a bounded mailbox asks of its queue: which entries count, and to take some of these out.
extension EventQueue {
    /// Marks the entry at `position` as counted.
    @inlinable
    mutating func count(_ position: Int) {
        ring[position & (ring.count - 1)].isCounted = true
    }

    /// Sees to it that the next entry is linked to none that was taken out; answers how many counted events it
    /// has, none when it is begun.
    @inlinable
    mutating func prepareNext() -> Int {
        while head != tail, isEmpty(head) { head += 1 }
        let index = head & (ring.count - 1)
        guard head != tail, ring[index].event != nil else { return 0 }
        ring[index].next = firstPresent(from: ring[index].next)
        return weight(at: head)
    }

    /// How many counted events the linked entries from `first` on have.
    @inlinable
    func weight(from first: Int) -> Int {
        var weight = 0
        var position = first
        while position != 0 {
            weight += self.weight(at: position)
            position = ring[position & (ring.count - 1)].next
        }
        return weight
    }

    /// The first of the linked entries from `first` on that was not taken out, or 0.
    @inlinable
    func firstPresent(from first: Int) -> Int {
        var position = first
        while position != 0, isEmpty(position) { position = ring[position & (ring.count - 1)].next }
        return position
    }

    /// The counted entry at `position` or next to it, in the direction of `step`, that is not begun.
    @inlinable
    func counted(from position: Int, step: Int) -> Int? {
        var position = position
        while position >= head, position < tail {
            if weight(at: position) > 0 { return position }
            position += step
        }
        return nil
    }

    /// Takes out the entry at `position`, which stays linked.
    @inlinable
    mutating func remove(_ position: Int) -> Entry {
        let index = position & (ring.count - 1)
        let entry = ring[index]
        ring[index].event = nil
        ring[index].rest = nil
        return entry
    }

    @inlinable
    func isEmpty(_ position: Int) -> Bool {
        let index = position & (ring.count - 1)
        return ring[index].event == nil && ring[index].rest == nil
    }

    @inlinable
    func weight(at position: Int) -> Int {
        let index = position & (ring.count - 1)
        guard ring[index].isCounted, ring[index].event != nil else { return 0 }
        return 1 + (ring[index].rest?.count ?? 0)
    }
}
