/// The last states of loops that have ended, for a time. A plain value: its owner locks it.
@usableFromInline
struct KeptStates<Key: Hashable & Sendable, State: Sendable>: Sendable {
    private struct Ticket: Sendable {
        let key: Key
        let number: UInt64
        let until: LoopInstant
    }

    private var states: [Key: (number: UInt64, state: State)] = [:]
    /// In the order in which the times are over. Tickets of states that are gone stay until then.
    private var tickets = FIFO<Ticket>()
    private var last: UInt64 = 0

    @usableFromInline var count: Int { states.count }

    /// When the time of the first state is over; nil when no ticket is left.
    var next: LoopInstant? { tickets.first?.until }

    @usableFromInline subscript(key: Key) -> State? { states[key]?.state }

    /// Keeps a state until an instant, which is not before those of other states.
    ///
    /// - Returns: the state that it replaces.
    mutating func keep(_ state: State, of key: Key, until: LoopInstant) -> State? {
        last += 1
        tickets.append(Ticket(key: key, number: last, until: until))
        let replaced = states.updateValue((last, state), forKey: key)
        return replaced?.state
    }

    /// Takes the state of a key out.
    @usableFromInline
    mutating func remove(_ key: Key) -> State? { states.removeValue(forKey: key)?.state }

    /// Takes the oldest state out.
    @usableFromInline
    mutating func removeFirst() -> State? {
        while let ticket = tickets.popFirst() {
            if states[ticket.key]?.number == ticket.number { return remove(ticket.key) }
        }
        return nil
    }

    /// Takes the states out whose time is over.
    mutating func removeAll(until now: LoopInstant) -> [State] {
        var removed: [State] = []
        while let ticket = tickets.first, ticket.until <= now {
            _ = tickets.popFirst()
            if states[ticket.key]?.number == ticket.number, let state = remove(ticket.key) {
                removed.append(state)
            }
        }
        return removed
    }
}
