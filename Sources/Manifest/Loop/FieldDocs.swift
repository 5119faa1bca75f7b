/// The documentation of fields: their `doc` keys.
public struct FieldDocs: Sendable {
    private var docs: [String: String] = [:]

    init(_ root: TOMLNode) {
        for entry in root.entries where ["loops", "gears"].contains(entry.key) {
            var path = [entry.key]
            add(entry.value, at: &path)
        }
    }

    /// The documentation of the field at a path such as `loops.levels.state.left`; nil if it has none.
    public subscript(path: String) -> String? { docs[path] }

    private mutating func add(_ node: TOMLNode, at path: inout [String]) {
        // Without `type`, the node may be a record with a field called `doc`.
        if node.entry("type") != nil, let doc = node.entry("doc")?.value.string {
            docs[path.joined(separator: ".")] = doc
        }
        for entry in node.entries where entry.value.kind == .table {
            path.append(entry.key)
            add(entry.value, at: &path)
            path.removeLast()
        }
    }
}
