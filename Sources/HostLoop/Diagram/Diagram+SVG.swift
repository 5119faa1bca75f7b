extension Diagram {
    /// The lines of the picture. It needs no font but a monospaced one, and refers to nothing outside.
    var svg: [String] {
        let layout = DiagramLayout(self)
        return svgHead(layout) + layout.curves.flatMap(Self.svg) + svgStart(layout)
            + zip(nodes, layout.boxes).flatMap { Self.svg($0, $1) } + ["</svg>"]
    }

    private func svgHead(_ layout: DiagramLayout) -> [String] {
        [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"\(layout.width)\" "
                + "height=\"\(layout.height)\" viewBox=\"\(layout.left) 0 \(layout.width) \(layout.height)\">",
            "<desc>\(DiagramText.xml(outline.joined(separator: "\n")))</desc>",
            "<style>",
            "  text { font: 13px monospace; text-anchor: middle; fill: #1f2328; }",
            "  .edge { fill: none; stroke: #6e7781; } .head { fill: #6e7781; }",
            "  .node { fill: #f6f8fa; stroke: #57606a; }",
            "  .label { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }",
            "  @media (prefers-color-scheme: dark) {",
            "    text { fill: #e6edf3; } .node { fill: #161b22; stroke: #8b949e; }",
            "    .label { stroke: #0d1117; }",
            "  }",
            "</style>",
            "<defs><marker id=\"head\" viewBox=\"\(layout.left) 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
                + "markerHeight=\"8\" orient=\"auto\"><path class=\"head\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>",
        ]
    }

    /// The dot that leads to the initial node.
    private func svgStart(_ layout: DiagramLayout) -> [String] {
        guard let start else { return [] }
        let (x, y) = (layout.boxes[start].x, layout.boxes[start].middle)
        return [
            "<circle class=\"head\" cx=\"\(x - 24)\" cy=\"\(y)\" r=\"5\"/>",
            "<path class=\"edge\" marker-end=\"url(#head)\" d=\"M\(x - 19),\(y) L\(x),\(y)\"/>",
        ]
    }

    private static func svg(_ curve: DiagramLayout.Curve) -> [String] {
        let points = curve.points.map { "\($0.x),\($0.y)" }
        let path = "M\(points[0]) C\(points[1...].joined(separator: " "))"
        let line = "<path class=\"edge\" marker-end=\"url(#head)\" d=\"\(path)\"/>"
        guard !curve.label.isEmpty else { return [line] }
        let middle = curve.middle
        return [line, text(curve.label, "class=\"label\" ", x: middle.x, y: middle.y - 4)]
    }

    private static func svg(_ node: Node, _ box: DiagramLayout.Box) -> [String] {
        let rectangle =
            "<rect class=\"node\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(box.height)\" "
            + "rx=\"\(node.isRound ? 16 : 3)\"/>"
        let label = text(DiagramText.line(node.label), "", x: box.centre, y: box.y + 22)
        guard let note = node.note else { return [rectangle, label] }
        return [
            rectangle, label,
            text(DiagramText.line(note), "font-style=\"italic\" ", x: box.centre, y: box.y + 40),
        ]
    }

    private static func text(_ text: String, _ attributes: String, x: Int, y: Int) -> String {
        "<text \(attributes)x=\"\(x)\" y=\"\(y)\">\(DiagramText.xml(text))</text>"
    }
}
