/// The declarations of all `From` for one type of state. Of two `From`, the first declared wins.
struct TransitionRow: Sendable {
    private enum Part: Sendable {
        case fixed([On.Cause: On], delays: [Delay])
        case read(@Sendable (any State) -> [On])
    }

    /// In order of declaration. Neighbours that are fixed are one part, so a look-up costs the same for any
    /// number of transitions.
    private var parts: [Part] = []

    mutating func add(_ body: From.Body) {
        switch body {
        case .read(let declare, _): parts.append(.read(declare))
        case .fixed(let declared):
            let table = Dictionary(declared.map { ($0.cause, $0) }, uniquingKeysWith: { _, last in last })
            let delays = declared.compactMap(\.delay)
            if case .fixed(let earlier, let earlierDelays) = parts.last {
                parts[parts.count - 1] = .fixed(
                    earlier.merging(table, uniquingKeysWith: { first, _ in first }),
                    delays: earlierDelays + delays)
            } else {
                parts.append(.fixed(table, delays: delays))
            }
        }
    }

    /// The new state, or nil if nothing here handles the event. The transition for the cause itself comes
    /// first, then the one for any event.
    func next(_ state: any State, on event: any Event, cause: On.Cause) -> (any State)? {
        var isDeclared = false
        var wildcard: On?
        for part in parts {
            let exact: On?
            let other: On?
            switch part {
            case .fixed(let table, _): (exact, other) = (table[cause], table[.anyEvent])
            case .read(let declare):
                let declared = declare(state)
                exact = declared.last { $0.cause == cause }
                other = declared.last { $0.cause == .anyEvent }
            }
            if !isDeclared, let exact {
                if let next = exact.next(event) { return next }
                isDeclared = true
            }
            if wildcard == nil { wildcard = other }
        }
        if case .delay = cause { return nil }
        return wildcard?.next(event)
    }

    /// The delays that the state declares, in order, possibly with repetitions.
    func delays(of state: any State) -> [Delay] {
        parts.flatMap { part in
            switch part {
            case .fixed(_, let delays): delays
            case .read(let declare): declare(state).compactMap(\.delay)
            }
        }
    }
}
