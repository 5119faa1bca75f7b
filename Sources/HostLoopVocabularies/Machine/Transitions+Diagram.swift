public import HostLoop

extension TransitionTable {
    /// Draws the known transitions.
    ///
    /// States have the names of their types, and longer names where two types share one. The order is that of
    /// the declarations. A type whose transitions depend on the state has a note.
    /// - Parameter initialState: The type of the initial state; nil draws none.
    public func diagram(as format: DiagramFormat, initialState: (any State.Type)? = nil) -> String {
        let wildcards: [any State.Type] =
            transitions.contains { $0.source == AnyState.self } ? [AnyState.self] : []
        var types = states + wildcards
        if let initialState, !types.contains(where: { $0 == initialState }) {
            types.insert(initialState, at: 0)
        }
        let labels = TypeLabels(types)
        var places: [ObjectIdentifier: Int] = [:]
        var diagram = Diagram(kind: .machine)
        for type in types {
            places[ObjectIdentifier(type)] = diagram.nodes.count
            let note = isUnknown(type) ? "more transitions depend on the state" : nil
            diagram.nodes.append(Diagram.Node(label: labels[type], note: note))
        }
        let causes = TypeLabels(transitions.map(\.event))
        for transition in transitions {
            guard let from = places[ObjectIdentifier(transition.source)],
                let to = places[ObjectIdentifier(transition.destination)]
            else { continue }
            let cause = transition.delay == nil ? causes[transition.event] : transition.cause
            let label = cause + (transition.isConditional ? ", unless disabled" : "")
            diagram.edges.append(Diagram.Edge(from: from, to: to, label: label))
        }
        if let initialState { diagram.start = places[ObjectIdentifier(initialState)] }
        return diagram.text(as: format)
    }
}

extension Transitions {
    /// Draws what is known of the transitions; see `TransitionTable.diagram(as:initialState:)`.
    public func diagram(as format: DiagramFormat, initialState: (any State.Type)? = nil) -> String {
        table.diagram(as: format, initialState: initialState)
    }
}

/// Names for types within one diagram: short ones, and longer ones where two types share a name.
struct TypeLabels {
    private let labels: [ObjectIdentifier: String]

    init(_ types: [any Any.Type]) {
        var seen: Set<ObjectIdentifier> = []
        let types = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let short = Dictionary(grouping: types) { String(describing: $0) }
        var used: [String: Int] = [:]
        var labels: [ObjectIdentifier: String] = [:]
        for type in types {
            let name = String(describing: type)
            var label = short[name]?.count == 1 ? name : Self.qualified(type)
            let count = used[label, default: 0] + 1
            used[label] = count
            if count > 1 { label += " (\(count))" }
            labels[ObjectIdentifier(type)] = label
        }
        self.labels = labels
    }

    subscript(type: any Any.Type) -> String {
        labels[ObjectIdentifier(type)] ?? String(describing: type)
    }

    /// The full name, without the addresses of private scopes, which differ from run to run.
    private static func qualified(_ type: any Any.Type) -> String {
        String(reflecting: type).split(separator: ".").filter { !$0.hasPrefix("(unknown context at ") }
            .joined(separator: ".")
    }
}
