extension Diagram {
    /// The lines of the outline.
    var outline: [String] {
        nodes.enumerated().flatMap { index, node in
            let note = node.note.map { ": \(DiagramText.line($0))" } ?? ""
            let mark = index == start ? " (initial)" : ""
            let leaving = edges.filter { $0.from == index }.map { edge in
                let label = edge.label.map { "\(DiagramText.line($0)) " } ?? ""
                return "    \(label)→ \(DiagramText.line(nodes[edge.to].label))"
            }
            return [DiagramText.line(node.label) + mark + note] + leaving
        }
    }
}
