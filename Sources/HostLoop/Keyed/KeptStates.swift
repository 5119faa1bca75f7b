/// The last states of loops that have ended, for a time. A plain value: its owner locks it.
@usableFromInline
struct KeptStates<Key: Hashable & Sendable, State: Sendable>: Sendable {
    private struct Ticket: Sendable {
        let key: Key
        let number: UInt64
        let until: LoopInstant
    }

    /// With the number of each state's loop.
    private var states: [Key: (number: UInt64, state: State)] = [:]
    /// In the order in which the times are over. Tickets of states that are gone stay for a while.
    private var tickets = FIFO<Ticket>()

    @usableFromInline var count: Int { states.count }

    /// How many tickets there are.
    var ticketCount: Int { tickets.count }

    /// When the time of the first ticket is over; nil when no ticket is left.
    var next: LoopInstant? { tickets.first?.until }

    @usableFromInline subscript(key: Key) -> State? { states[key]?.state }

    /// Keeps the state of a loop until an instant, unless the state of a later loop of the key is kept.
    ///
    /// - Returns: the state that is not kept any more.
    mutating func keep(_ state: State, of key: Key, _ number: UInt64, until: LoopInstant) -> State? {
        if let present = states[key], present.number > number { return state }
        let last = tickets.last?.until ?? until
        tickets.append(Ticket(key: key, number: number, until: max(until, last)))
        let replaced = states.updateValue((number, state), forKey: key)?.state
        // Tickets whose states are gone would pile up where keys begin again and again.
        if tickets.count > 2 * states.count + 64 {
            let live = tickets.all.filter(isLive)
            tickets.removeAll()
            for ticket in live { tickets.append(ticket) }
        }
        return replaced
    }

    private func isLive(_ ticket: Ticket) -> Bool { states[ticket.key]?.number == ticket.number }

    /// Takes the state of a key out.
    @usableFromInline
    mutating func remove(_ key: Key) -> State? { states.removeValue(forKey: key)?.state }

    /// Converts all states. One that becomes nil is not kept any longer.
    mutating func convert(_ state: (Key, State) -> State?) {
        for (key, kept) in states { states[key] = state(key, kept.state).map { (kept.number, $0) } }
    }

    /// Takes the oldest state out.
    @usableFromInline
    mutating func removeFirst() -> State? {
        while let ticket = tickets.popFirst() {
            if isLive(ticket) { return remove(ticket.key) }
        }
        return nil
    }

    /// Takes the states out whose time is over.
    mutating func removeAll(until now: LoopInstant) -> [State] {
        var removed: [State] = []
        while let ticket = tickets.first, ticket.until <= now {
            _ = tickets.popFirst()
            if isLive(ticket), let state = remove(ticket.key) { removed.append(state) }
        }
        return removed
    }
}
