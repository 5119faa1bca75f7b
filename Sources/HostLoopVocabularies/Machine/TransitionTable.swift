/// The transitions that are known without running the loop.
///
/// A `From` whose closure takes no state is known. A `From` whose closure takes the state is known for
/// `AnyState`, and for the `instance` of an `Instantiable` type. Otherwise its type is in `unknownSources`.
/// Answers that depend on it are undecided.
public struct TransitionTable: Sendable {
    /// The known transitions in the order of declaration. Of several for one type of state and one event, it
    /// has only the one that wins.
    public let transitions: [KnownTransition]
    /// The types of states whose transitions depend on the state, in the order of declaration.
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

    /// Every type of state in the declarations except `AnyState`: sources before destinations, in the order
    /// of declaration.
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
    /// The transitions that are known without running them.
    public var table: TransitionTable { TransitionTable(declarations) }

    /// The known transitions as the names of their source, their destination and their event.
    public var description: [(source: String, destination: String, event: String)] {
        table.transitions.map {
            (String(describing: $0.source), String(describing: $0.destination), $0.cause)
        }
    }
}

/// The parts of a transition that are known without a state or an event.
public struct KnownTransition: Sendable, CustomStringConvertible {
    /// The type of its source states; `AnyState` for all.
    public var source: any State.Type
    /// The type of event that causes it; `AnyEvent` for all, `Elapsed` for a delayed transition.
    public var event: any Event.Type
    /// The delay of a delayed transition; nil for one on an event.
    public var delay: Duration?
    /// The type of state that it leads to.
    public var destination: any State.Type
    /// Whether it may be disabled.
    public var isConditional: Bool

    init(_ on: On, from source: any State.Type) {
        self.source = source
        event = on.event
        delay = on.delay?.duration
        destination = on.destination
        isConditional = on.isConditional
    }

    /// A text of its cause: the name of the event's type, or `after 30.0 seconds`.
    public var cause: String {
        delay.map { "after \($0)" } ?? String(describing: event)
    }

    /// For example `Loading to Loaded on DataIsLoaded`, or `Loading to Failed after 30.0 seconds`.
    public var description: String {
        "\(source) to \(destination) \(delay == nil ? "on " : "")\(cause)\(isConditional ? ", unless disabled" : "")"
    }
}
