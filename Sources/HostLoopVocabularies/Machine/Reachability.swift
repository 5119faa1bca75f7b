/// The states that a machine can reach, as far as this is known without running the loop.
public struct Reachability: Sendable {
    /// The initial state and every type of state that known transitions lead to, nearest first.
    public var reachable: [any State.Type] = []
    /// The mentioned types of states that no known transition leads to.
    public var unreachable: [any State.Type] = []
    /// The transitions that leave unreachable states.
    public var idle: [KnownTransition] = []
    /// The reachable types of states whose transitions depend on the state. They may lead to further states.
    /// If there are none, the answer is certain.
    public var unknownSources: [any State.Type] = []
}

extension TransitionTable {
    /// Follows the known transitions from a type of state, including those with a `disable` condition.
    public func reachability(from initialState: any State.Type) -> Reachability {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(initialState)]
        var result = Reachability(reachable: [initialState])
        var next = 0
        while next < result.reachable.count {
            let state = result.reachable[next]
            next += 1
            for transition in transitions
            where transition.source == state || transition.source == AnyState.self {
                if seen.insert(ObjectIdentifier(transition.destination)).inserted {
                    result.reachable.append(transition.destination)
                }
            }
        }
        result.unreachable = states.filter { !seen.contains(ObjectIdentifier($0)) }
        result.idle = transitions.filter { transition in
            result.unreachable.contains { $0 == transition.source }
        }
        result.unknownSources = unknownSources.filter { seen.contains(ObjectIdentifier($0)) }
        return result
    }
}
