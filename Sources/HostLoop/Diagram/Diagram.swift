/// A graph of nodes and edges, written in the languages of `DiagramFormat`.
package struct Diagram {
    /// The type of the Mermaid diagram; the other languages ignore it.
    package enum Kind { case machine, loop }

    package struct Node {
        package var label: String
        /// A text beside the label.
        package var note: String?
        package var isRound: Bool

        package init(label: String, note: String? = nil, isRound: Bool = true) {
            (self.label, self.note, self.isRound) = (label, note, isRound)
        }
    }

    package struct Edge {
        package var from: Int
        package var to: Int
        package var label: String?

        package init(from: Int, to: Int, label: String? = nil) {
            (self.from, self.to, self.label) = (from, to, label)
        }
    }

    package var kind: Kind
    package var nodes: [Node] = []
    package var edges: [Edge] = []
    /// The initial node.
    package var start: Int?

    package init(kind: Kind) {
        self.kind = kind
    }

    package func text(as format: DiagramFormat) -> String {
        let lines =
            switch format {
            case .mermaid: kind == .machine ? mermaidMachine : mermaidLoop
            case .dot: dot
            case .svg: svg
            case .text: outline
            }
        return lines.joined(separator: "\n") + "\n"
    }

    private var mermaidMachine: [String] {
        var lines = ["stateDiagram-v2"]
        for (index, node) in nodes.enumerated() {
            lines.append("    state \"\(DiagramText.mermaid(node.label))\" as n\(index)")
        }
        if let start { lines.append("    [*] --> n\(start)") }
        for edge in edges {
            lines.append(
                "    n\(edge.from) --> n\(edge.to)"
                    + (edge.label.map { " : \(DiagramText.mermaid($0))" } ?? ""))
        }
        for (index, node) in nodes.enumerated() {
            if let note = node.note {
                lines.append("    note right of n\(index) : \(DiagramText.mermaid(note))")
            }
        }
        return lines
    }

    private var mermaidLoop: [String] {
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let label = "\"\(DiagramText.mermaid(node.label))\""
            lines.append("    n\(index)" + (node.isRound ? "([\(label)])" : "[\(label)]"))
        }
        for edge in edges {
            let label = edge.label.map { "|\"\(DiagramText.mermaid($0))\"|" } ?? ""
            lines.append("    n\(edge.from) -->\(label) n\(edge.to)")
        }
        return lines
    }

    private var dot: [String] {
        var lines = ["digraph {", "    rankdir=LR;", "    node [shape=box];"]
        for (index, node) in nodes.enumerated() {
            let style = node.isRound ? ", style=rounded" : ""
            lines.append("    n\(index) [label=\(DiagramText.dot(node.label))\(style)];")
        }
        if let start { lines += ["    start [shape=point];", "    start -> n\(start);"] }
        for edge in edges {
            let label = edge.label.map { " [label=\(DiagramText.dot($0))]" } ?? ""
            lines.append("    n\(edge.from) -> n\(edge.to)\(label);")
        }
        for (index, node) in nodes.enumerated() {
            guard let note = node.note else { continue }
            lines.append("    note\(index) [label=\(DiagramText.dot(note)), shape=note];")
            lines.append("    note\(index) -> n\(index) [style=dashed, arrowhead=none];")
        }
        return lines + ["}"]
    }
}

/// The language of a diagram. The order of the lines depends only on the declarations.
public enum DiagramFormat: Sendable, Hashable, CaseIterable {
    /// Mermaid, which Markdown renderers draw: `stateDiagram-v2` for transitions, `flowchart` for a spin.
    case mermaid
    /// DOT, the language of Graphviz.
    case dot
    /// SVG, a picture that browsers and editors show. It follows their dark mode, and its description is the outline.
    case svg
    /// An outline for terminals: each node, and indented below it each edge that leaves it.
    case text
}
