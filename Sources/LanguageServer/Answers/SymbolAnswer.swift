import Manifest
import Records

/// The names that a file declares, as a tree.
struct SymbolAnswer {
    private let file: ManifestText

    init(_ file: ManifestText) { self.file = file }

    var value: Value { .list(symbols(below: 0)) }

    /// The kinds of the protocol by places; places that are not here have no symbol.
    private static let kinds: [String: Int] = [
        "plugins.*": 2, "types.*": 23, "config.*": 14, "gears.*": 11, "gears.*.messages.*": 24,
        "gears.*.messages.*.*": 8, "loops.*": 5,
        "loops.*.state.*": 8, "loops.*.shared.*": 8, "loops.*.states.*": 22, "loops.*.states.*.*": 8,
        "loops.*.events.*": 24, "loops.*.events.*.*": 8, "loops.*.let.*": 13, "loops.*.feedback.*": 12,
        "tests.*": 6,
    ]

    /// The symbols of what is below a node, which has none itself or is their parent. Below an unknown key,
    /// nothing has one.
    private func symbols(below node: Int) -> [Value] {
        file.index.nodes[node].children.flatMap { child -> [Value] in
            let found = file.index.nodes[child]
            guard let path = found.place?.path else { return [] }
            let isTest = path == "tests.*"
            guard let kind = Self.kinds[path], found.isElement == isTest else { return symbols(below: child) }
            return [symbol(of: child, kind, isTest: isTest)]
        }
    }

    private func symbol(of node: Int, _ kind: Int, isTest: Bool) -> Value {
        let found = file.index.nodes[node]
        let mention = found.mention ?? found.value
        let name = isTest ? file.string(at: file.index.path(of: node) + ["name"]) ?? "test" : found.key
        // A client refuses a name outside of the whole.
        let whole =
            min(
                found.extent.lowerBound, mention.lowerBound)..<max(
                found.extent.upperBound, mention.upperBound)
        let children = symbols(below: node)
        return .object([
            ("name", .string(name.isEmpty ? "test" : name)), ("kind", .number(kind)),
            ("range", file.lines.range(whole)), ("selectionRange", file.lines.range(mention)),
            ("children", children.isEmpty ? nil : .list(children)),
        ])
    }
}
