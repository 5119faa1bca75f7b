/// What a manifest says that fields are for: their `doc`s.
public struct FieldDocs: Sendable {
    private var docs: [String: String] = [:]

    init(_ root: TOMLNode) {
        for entry in root.entries where ["loops", "gears"].contains(entry.key) {
            var path = [entry.key]
            add(entry.value, at: &path)
        }
    }

    /// What the field at a path of the manifest is for, such as `loops.levels.state.left`; nil when nothing is said.
    public subscript(path: String) -> String? { docs[path] }

    private mutating func add(_ node: TOMLNode, at path: inout [String]) {
        // Without `type` it may be a record, one of whose fields is called `doc`.
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
