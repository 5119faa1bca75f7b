/// The queue of a bounded mailbox: it knows which entries count, and can remove them.
extension EventQueue {
    /// Marks the entry at `position` as counted.
    @inlinable
    mutating func count(_ position: Int) {
        ring[position & (ring.count - 1)].isCounted = true
    }

    /// Makes the next entry ready to be taken: after this it is not linked to any removed entry. Returns the
    /// number of its counted events; 0 when the entry is begun.
    @inlinable
    mutating func prepareNext() -> Int {
        while head != tail, isEmpty(head) { head += 1 }
        let index = head & (ring.count - 1)
        guard head != tail, ring[index].event != nil else { return 0 }
        ring[index].next = firstPresent(from: ring[index].next)
        return weight(at: head)
    }

    /// The number of counted events in the linked entries from `first` on.
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

    /// The first of the linked entries from `first` on that is still present, or 0.
    @inlinable
    func firstPresent(from first: Int) -> Int {
        var position = first
        while position != 0, isEmpty(position) { position = ring[position & (ring.count - 1)].next }
        return position
    }

    /// The position of the first counted entry from `position` on, in the direction of `step`. It is not
    /// begun. Nil if there is none.
    @inlinable
    func counted(from position: Int, step: Int) -> Int? {
        var position = position
        while position >= head, position < tail {
            if weight(at: position) > 0 { return position }
            position += step
        }
        return nil
    }

    /// Removes the entry at `position`. Its position stays linked.
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
