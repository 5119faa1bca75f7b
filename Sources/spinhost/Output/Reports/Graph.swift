import HostLoop
import Records

/// A diagram of boxes and arrows in groups, written as Mermaid or DOT. Names and order depend only on the
/// order of additions.
struct Graph {
    /// The kind of a node.
    enum Kind: String { case state, event, feedback, message }

    /// The end of an arrow: a node, or a group of nodes.
    enum Endpoint: Hashable {
        case node(Int)
        case group(Int)
    }

    private struct Node {
        let id: String
        let lines: [String]
        let kind: Kind
        let group: Int?
    }

    private struct Group {
        let id: String
        let title: String
        let outer: Int?
        let key: String?
    }

    private struct Edge {
        let from: Endpoint
        let to: Endpoint
        let label: String
        let isDashed: Bool
    }

    private var nodes: [Node] = []
    private var groups: [Group] = []
    private var edges: [Edge] = []

    /// Adds a frame for nodes and other groups.
    ///
    /// - Parameters:
    ///   - id: what programs call it, unlike any other group or node.
    ///   - key: the type of the key, for the frame of a loop with a key.
    mutating func addGroup(_ title: String, id: String, in outer: Int? = nil, key: String? = nil) -> Int {
        groups.append(Group(id: id, title: title, outer: outer, key: key))
        return groups.count - 1
    }

    /// Adds a node with these lines of text.
    ///
    /// - Parameter id: what programs call it, unlike any other group or node.
    mutating func addNode(_ lines: [String], _ kind: Kind, id: String, in group: Int?) -> Endpoint {
        nodes.append(Node(id: id, lines: lines, kind: kind, group: group))
        return .node(nodes.count - 1)
    }

    /// Adds an arrow.
    mutating func addEdge(from: Endpoint, to: Endpoint, label: String = "", isDashed: Bool = false) {
        edges.append(Edge(from: from, to: to, label: label, isDashed: isDashed))
    }

    /// The text, with a newline at its end.
    func text(as format: GraphCommand.Format) -> String {
        let lines =
            switch format {
            case .mermaid: ["flowchart LR"] + mermaid(in: nil, indent: "    ") + edges.map(mermaid)
            case .dot:
                ["digraph {", "    rankdir=LR;", "    compound=true;", "    node [shape=box];"]
                    + dot(in: nil, indent: "    ") + edges.map(dot) + ["}"]
            }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The diagram for programs: its groups, nodes and arrows.
    var fields: [(String, Value)] {
        func id(_ endpoint: Endpoint) -> Value {
            switch endpoint {
            case .node(let index): .string(nodes[index].id)
            case .group(let index): .string(groups[index].id)
            }
        }
        func group(_ index: Int?) -> [(String, Value)] {
            index.map { [("group", .string(groups[$0].id))] } ?? []
        }
        return [
            (
                "groups",
                .list(
                    groups.map {
                        .record(
                            [("id", .string($0.id)), ("title", .string($0.title))] + group($0.outer)
                                + ($0.key.map { [("key", .string($0))] } ?? []))
                    })
            ),
            (
                "nodes",
                .list(
                    nodes.map {
                        .record(
                            [
                                ("id", .string($0.id)), ("kind", .string($0.kind.rawValue)),
                                ("text", .list($0.lines.map(Value.string))),
                            ] + group($0.group))
                    })
            ),
            (
                "edges",
                .list(
                    edges.map {
                        .record(
                            [("from", id($0.from)), ("to", id($0.to))]
                                + ($0.label.isEmpty ? [] : [("label", .string($0.label))])
                                + ($0.isDashed ? [("dashed", .bool(true))] : []))
                    })
            ),
        ]
    }

    private func mermaid(in group: Int?, indent: String) -> [String] {
        var lines: [String] = []
        for (index, node) in nodes.enumerated() where node.group == group {
            let text = "\"\(node.lines.map(DiagramText.mermaid).joined(separator: "<br/>"))\""
            let shape =
                switch node.kind {
                case .state: "([\(text)])"
                case .event: "{{\(text)}}"
                case .feedback: "[\(text)]"
                case .message: "[/\(text)/]"
                }
            lines.append("\(indent)n\(index)\(shape)")
        }
        for (index, inner) in groups.enumerated() where inner.outer == group {
            lines.append("\(indent)subgraph g\(index)[\"\(DiagramText.mermaid(inner.title))\"]")
            lines += mermaid(in: index, indent: indent + "    ")
            lines.append("\(indent)end")
        }
        return lines
    }

    private func mermaid(_ edge: Edge) -> String {
        func name(_ endpoint: Endpoint) -> String {
            switch endpoint {
            case .node(let index): "n\(index)"
            case .group(let index): "g\(index)"
            }
        }
        let label = edge.label.isEmpty ? "" : "|\"\(DiagramText.mermaid(edge.label))\"|"
        return "    \(name(edge.from)) \(edge.isDashed ? "-.->" : "-->")\(label) \(name(edge.to))"
    }

    private func dot(in group: Int?, indent: String) -> [String] {
        var lines: [String] = []
        for (index, node) in nodes.enumerated() where node.group == group {
            let shape =
                switch node.kind {
                case .state: ", style=rounded"
                case .event: ", shape=hexagon"
                case .feedback: ""
                case .message: ", shape=cds"
                }
            let label = DiagramText.dot(node.lines.joined(separator: "\n"))
            lines.append("\(indent)n\(index) [label=\(label)\(shape)];")
        }
        for (index, inner) in groups.enumerated() where inner.outer == group {
            lines.append("\(indent)subgraph cluster_g\(index) {")
            lines.append("\(indent)    label=\(DiagramText.dot(inner.title));")
            lines += dot(in: index, indent: indent + "    ")
            lines.append("\(indent)}")
        }
        return lines
    }

    private func dot(_ edge: Edge) -> String {
        var attributes: [String] = []
        // DOT has arrows between nodes only: `ltail` or `lhead` cuts an arrow at the frame of its node's
        // group.
        func name(_ endpoint: Endpoint, _ end: String) -> String {
            switch endpoint {
            case .node(let index): return "n\(index)"
            case .group(let index):
                attributes.append("\(end)=cluster_g\(index)")
                let inner = nodes.firstIndex { isIn($0.group, index) }
                guard let inner else { preconditionFailure("an arrow ends at a group with nodes") }
                return "n\(inner)"
            }
        }
        let (from, to) = (name(edge.from, "ltail"), name(edge.to, "lhead"))
        if !edge.label.isEmpty { attributes.append("label=\(DiagramText.dot(edge.label))") }
        if edge.isDashed { attributes.append("style=dashed") }
        let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
        return "    \(from) -> \(to)\(list);"
    }

    private func isIn(_ group: Int?, _ wanted: Int) -> Bool {
        guard let group else { return false }
        return group == wanted || isIn(groups[group].outer, wanted)
    }
}
