import Records

/// Compares rows with an earlier run, as `--json` printed it.
struct Comparison {
    private struct Earlier {
        let figure, minimum, maximum: Double
        let ratio, ratioMinimum, ratioMaximum: Double
    }

    private let rows: [String: Earlier]

    /// - Parameter path: the file with the output of `--json`.
    init(path: String) throws {
        guard case .list(let objects) = try Value(json: try BenchFile.text(of: path)) else {
            throw BenchFault("\(path) is not what `--json` prints")
        }
        var rows: [String: Earlier] = [:]
        for object in objects {
            guard case .string(let name)? = object["row"] else {
                throw BenchFault("\(path) has a row without a name")
            }
            func number(_ key: String) throws -> Double {
                switch object[key] {
                case .double(let number)?: return number
                case .int(let number)?: return Double(number)
                default: throw BenchFault("row \(name) of \(path) has no number `\(key)`")
                }
            }
            rows[name] = Earlier(
                figure: try number("figure"), minimum: try number("minimum"), maximum: try number("maximum"),
                ratio: try number("ratio"), ratioMinimum: try number("ratioMinimum"),
                ratioMaximum: try number("ratioMaximum"))
        }
        self.rows = rows
    }

    /// The change of a row since the earlier run: of the ratio, or of the figure if that is limited. It has a
    /// mark when each median lies outside the range of the other run.
    func text(_ row: Row) -> String {
        guard let earlier = rows[row.name] else { return "new" }
        let isRatio = row.judged == .ratio
        let now = isRatio ? (row.ratio, row.ratios) : (row.figure, row.figures)
        let then =
            isRatio
            ? (earlier.ratio, earlier.ratioMinimum...earlier.ratioMaximum)
            : (earlier.figure, earlier.minimum...earlier.maximum)
        let change = Self.percent(now.0 / then.0)
        let range = (now.1.first ?? 0)...(now.1.last ?? 0)
        guard !then.1.contains(now.0), !range.contains(then.0) else { return change }
        return "\(change) \((now.0 > then.0) == row.moreIsBetter ? "better" : "worse")"
    }

    private static func percent(_ factor: Double) -> String {
        let percent = Int(((factor - 1) * 100).rounded())
        return percent < 0 ? "\(percent) %" : "+\(percent) %"
    }
}
