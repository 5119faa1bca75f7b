/// The rows as text: a table for people, or JSON.
enum Table {
    static func text(_ rows: [Row], comparedWith comparison: Comparison?) -> String {
        let change = comparison == nil ? [] : ["change"]
        var lines = [
            ["row", "figure", "min..max", "reference", "min..max", "ratio"] + change
                + ["reach", "then", "what against what"]
        ]
        for row in rows {
            lines.append(
                [
                    row.name, "\(shown(row.figure)) \(row.unit)", range(row.figures),
                    "\(shown(row.reference)) \(row.unit)", range(row.references), shown(row.ratio),
                ] + (comparison.map { [$0.text(row)] } ?? []) + [
                    limit(row.reach, of: row), row.then.map { limit($0, of: row) } ?? "",
                    "\(row.title) / \(row.referenceTitle)",
                ])
        }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(
                separator: "  "
            ).trimmedEnd
        }.joined(separator: "\n")
    }

    static func json(_ rows: [Row]) -> String {
        let objects = rows.map { row in
            """
              {"row": "\(row.name)", "figure": \(row.figure), "unit": "\(row.unit)", "minimum": \(row.figures.first ?? 0), \
            "maximum": \(row.figures.last ?? 0), "reference": \(row.reference), "ratio": \(row.ratio), \
            "ratioMinimum": \(row.ratios.first ?? 0), "ratioMaximum": \(row.ratios.last ?? 0), \
            "reached": \(row.meets(row.reach)), "then": \(row.then.map { "\(row.meets($0))" } ?? "null")}
            """
        }
        return "[\n\(objects.joined(separator: ",\n"))\n]"
    }

    private static func limit(_ limit: Double, of row: Row) -> String {
        let unit =
            switch row.judged {
            case .ratio: ""
            case .figure: " \(row.unit)"
            }
        return "\(row.moreIsBetter ? "≥" : "≤") \(shown(limit))\(unit) \(row.meets(limit) ? "✓" : "✗")"
    }

    private static func range(_ sorted: [Double]) -> String {
        "\(shown(sorted.first ?? 0))..\(shown(sorted.last ?? 0))"
    }

    /// A number with three significant digits.
    static func shown(_ number: Double) -> String {
        let scale: Double = number.magnitude >= 100 ? 1 : number.magnitude >= 10 ? 10 : 100
        let rounded = (number * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : "\(rounded)"
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
