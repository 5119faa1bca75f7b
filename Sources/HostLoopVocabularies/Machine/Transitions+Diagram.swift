public import HostLoop

extension TransitionTable {
    /// Draws the known transitions.
    ///
    /// States have the names of their types, longer ones where two share a name; the order is that of the
    /// declarations. A type whose transitions are known only when a state is at hand has a note that says so.
    /// - Parameter initialState: The type of state where the machine begins, if that shall be drawn.
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
