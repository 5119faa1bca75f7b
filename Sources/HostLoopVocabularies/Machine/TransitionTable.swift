/// What is known of transitions without running the loop.
///
/// A `From` whose closure takes no state is known. One whose closure takes the state is known if the type is
/// `Instantiable`, for its `instance`, and for `AnyState`; otherwise it is not, and its type is listed in
/// `unknownSources`. What depends on it is answered as undecided, never guessed.
public struct TransitionTable: Sendable {
    /// The known transitions that may be taken, in the order of declaration: of several for one type of state
    /// and one event, only the one that wins.
    public let transitions: [KnownTransition]
    /// The types of states with transitions that are known only when a state is at hand, in the order of
    /// declaration.
    public let unknownSources: [any State.Type]

    init(_ declarations: [From]) {
        struct Key: Hashable {
            let source: ObjectIdentifier
            let cause: On.Cause
        }
        var known: [KnownTransition] = []
        var unknown: [any State.Type] = []
        var taken: Set<Key> = []
        for from in declarations {
            let declared: [On]
            switch from.body {
            case .fixed(let all), .read(_, known: .some(let all)): declared = all
            case .read(_, known: nil):
                if !unknown.contains(where: { $0 == from.source }) { unknown.append(from.source) }
                continue
            }
            var own: Set<On.Cause> = []
            let winners = declared.reversed().filter { own.insert($0.cause).inserted }.reversed()
            for on in winners
            where taken.insert(Key(source: ObjectIdentifier(from.source), cause: on.cause)).inserted {
                known.append(KnownTransition(on, from: from.source))
            }
        }
        transitions = known
        unknownSources = unknown
    }

    /// Every type of state that is mentioned, but for `AnyState`: sources before destinations, in the order of
    /// declaration.
    public var states: [any State.Type] {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(AnyState.self)]
        let mentioned = transitions.map(\.source) + unknownSources + transitions.map(\.destination)
        return mentioned.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    func isUnknown(_ source: any State.Type) -> Bool {
        unknownSources.contains { $0 == source }
    }
}

extension Transitions {
    /// What is known of the transitions without running them.
    public var table: TransitionTable { TransitionTable(declarations) }

    /// The known transitions as the names of their source, their destination and their event.
    public var description: [(source: String, destination: String, event: String)] {
        table.transitions.map {
            (String(describing: $0.source), String(describing: $0.destination), $0.cause)
        }
    }
}

/// A transition as far as it is known without a state or an event at hand.
public struct KnownTransition: Sendable, CustomStringConvertible {
    /// The type of state that it leaves; `AnyState` for all.
    public var source: any State.Type
    /// The type of event that causes it; `AnyEvent` for all, `Elapsed` for a delayed transition.
    public var event: any Event.Type
    /// How long the state has to last before a delayed transition is taken; nil for one on an event.
    public var delay: Duration?
    /// The type of state that it leads to.
    public var destination: any State.Type
    /// Whether `disable` was applied to it, so that it may not be there.
    public var isConditional: Bool

    init(_ on: On, from source: any State.Type) {
        self.source = source
        event = on.event
        delay = on.delay?.duration
        destination = on.destination
        isConditional = on.isConditional
    }

    /// What causes it, in words: the name of the event's type, or `after 30.0 seconds`.
    public var cause: String {
        delay.map { "after \($0)" } ?? String(describing: event)
    }

    /// For example `Loading to Loaded on DataIsLoaded`, or `Loading to Failed after 30.0 seconds`.
    public var description: String {
        "\(source) to \(destination) \(delay == nil ? "on " : "")\(cause)\(isConditional ? ", unless disabled" : "")"
    }
}
