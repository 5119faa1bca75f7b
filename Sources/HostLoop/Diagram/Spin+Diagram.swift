extension Spin {
    /// Draws the loop: its state, its reducer, and its feedbacks in the order of declaration.
    ///
    /// Each feedback appears with its name, its trigger and strategy, and its executor if it has its own.
    public func diagram(as format: DiagramFormat) -> String {
        var diagram = Diagram(kind: .loop)
        diagram.nodes = [
            Diagram.Node(label: String(describing: State.self)),
            Diagram.Node(label: "reducer", isRound: false),
        ]
        diagram.edges = [Diagram.Edge(from: 1, to: 0)]
        for (index, feedback) in feedbacks.enumerated() {
            let node = diagram.nodes.count
            let name = feedback.name.isEmpty ? "feedback \(index + 1)" : feedback.name
            let suffix = feedback.executor.map { " on \($0.label)" } ?? ""
            diagram.nodes.append(Diagram.Node(label: name + suffix, isRound: false))
            diagram.edges.append(Diagram.Edge(from: 0, to: node, label: feedback.triggerText))
            diagram.edges.append(Diagram.Edge(from: node, to: 1, label: String(describing: Event.self)))
        }
        return diagram.text(as: format)
    }
}
