/// Places for the nodes and edges of a diagram, in pixels. Equal diagrams have equal places.
///
/// A node's column is its distance from the first node. A node that is not reached from there begins in the first column.
/// Edges that lead back run below the nodes.
struct DiagramLayout {
    struct Box: Equatable {
        var x = 0
        var y = 0
        var width = 0
        var height = 0
        var middle: Int { y + height / 2 }
        var centre: Int { x + width / 2 }
        var right: Int { x + width }
        var bottom: Int { y + height }
    }

    struct Curve {
        /// The start, two control points and the end of a cubic Bézier curve.
        var points: [(x: Int, y: Int)]
        var label: String

        /// The point half way.
        var middle: (x: Int, y: Int) {
            func half(_ values: [Int]) -> Int { (values[0] + 3 * values[1] + 3 * values[2] + values[3]) / 8 }
            return (half(points.map(\.x)), half(points.map(\.y)))
        }
    }

    private static let character = 8
    private static let margin = 24
    private static let rowGap = 34
    private static let labelHeight = 20

    private(set) var boxes: [Box]
    private(set) var curves: [Curve] = []
    /// The least x; labels of edges may lie to the left of all nodes.
    private(set) var left = 0
    private(set) var width = 0
    private(set) var height = 0

    init(_ diagram: Diagram) {
        boxes = diagram.nodes.map { node in
            let columns = max(DiagramText.columns(node.label), DiagramText.columns(node.note ?? ""))
            return Box(width: columns * Self.character + 24, height: node.note == nil ? 34 : 52)
        }
        let arrows = Self.arrows(of: diagram)
        let columns = Self.columns(of: diagram)
        placeBoxes(columns, arrows)
        draw(arrows, columns)
    }

    private typealias Arrow = (from: Int, to: Int, label: String)

    /// One arrow for all edges from one node to another, with their labels.
    private static func arrows(of diagram: Diagram) -> [Arrow] {
        var arrows: [Arrow] = []
        var places: [[Int]: Int] = [:]
        for edge in diagram.edges {
            let label = edge.label.map(DiagramText.line) ?? ""
            if let place = places[[edge.from, edge.to]] {
                let all = [arrows[place].label, label].filter { !$0.isEmpty }
                arrows[place].label = all.joined(separator: ", ")
            } else {
                places[[edge.from, edge.to]] = arrows.count
                arrows.append((edge.from, edge.to, label))
            }
        }
        return arrows
    }

    /// The column of each node.
    private static func columns(of diagram: Diagram) -> [Int] {
        var targets = [[Int]](repeating: [], count: diagram.nodes.count)
        for edge in diagram.edges { targets[edge.from].append(edge.to) }
        var columns = [Int?](repeating: nil, count: diagram.nodes.count)
        for first in [diagram.start].compactMap(\.self) + Array(diagram.nodes.indices)
        where columns[first] == nil {
            columns[first] = 0
            var reached = [first]
            var next = 0
            while next < reached.count {
                let node = reached[next]
                next += 1
                for target in targets[node] where columns[target] == nil {
                    columns[target] = columns[node]! + 1
                    reached.append(target)
                }
            }
        }
        return columns.map { $0! }
    }

    private mutating func placeBoxes(_ columns: [Int], _ arrows: [Arrow]) {
        let count = (columns.max() ?? -1) + 1
        let members = (0..<count).map { column in columns.indices.filter { columns[$0] == column } }
        let heights = members.map { nodes in
            nodes.reduce(0) { $0 + boxes[$1].height + Self.rowGap } - Self.rowGap
        }
        // Loops of one node rise above the first row.
        let top = Self.margin + (arrows.contains { $0.from == $0.to } ? 2 * Self.labelHeight : 0)
        let tallest = heights.max() ?? 0
        var x = Self.margin + 24
        for (column, nodes) in members.enumerated() {
            var y = top + (tallest - heights[column]) / 2
            let widest = nodes.map { boxes[$0].width }.max() ?? 0
            for node in nodes {
                boxes[node].x = x + (widest - boxes[node].width) / 2
                boxes[node].y = y
                y += boxes[node].height + Self.rowGap
            }
            let labels = arrows.filter { columns[$0.from] == column && columns[$0.to] >= column }
            let longest = labels.map { DiagramText.columns($0.label) }.max() ?? 0
            x += widest + 56 + longest * Self.character
        }
        height = top + tallest
    }

    private mutating func draw(_ arrows: [Arrow], _ columns: [Int]) {
        var lane = height + Self.rowGap
        for arrow in arrows {
            let (from, to) = (boxes[arrow.from], boxes[arrow.to])
            if arrow.from == arrow.to {
                let (y, up) = (from.y, from.y - 36)
                add(
                    [
                        (from.centre - 14, y), (from.centre - 26, up), (from.centre + 26, up),
                        (from.centre + 14, y),
                    ], arrow)
            } else if columns[arrow.to] > columns[arrow.from] {
                let half = (to.x - from.right) / 2
                add(
                    [
                        (from.right, from.middle), (from.right + half, from.middle), (to.x - half, to.middle),
                        (to.x, to.middle),
                    ], arrow)
            } else if columns[arrow.to] == columns[arrow.from] {
                let x = max(from.right, to.right) + 40
                add(
                    [(from.right, from.middle), (x, from.middle), (x, to.middle), (to.right, to.middle)],
                    arrow)
            } else {
                // The middle of the curve shall lie on the lane.
                let y = (8 * lane - from.bottom - to.bottom) / 6
                add(
                    [(from.centre, from.bottom), (from.centre, y), (to.centre, y), (to.centre, to.bottom)],
                    arrow)
                lane += Self.labelHeight
                height = lane
            }
        }
        let labels = curves.map { ($0.middle.x, DiagramText.columns($0.label) * Self.character / 2) }
        left = min(0, (labels.map { $0 - $1 }.min() ?? 0) - Self.margin)
        width = ((boxes.map(\.right) + labels.map { $0 + $1 }).max() ?? 0) + Self.margin - left
        height += Self.margin
    }

    private mutating func add(_ points: [(x: Int, y: Int)], _ arrow: Arrow) {
        curves.append(Curve(points: points, label: arrow.label))
    }
}
