/// What a manifest says that fields are for: their `doc`s.
public struct FieldDocs: Sendable {
    private var docs: [String: String] = [:]

    init(_ root: TOMLNode) {
        for entry in root.entries where ["loops", "gears"].contains(entry.key) {
            add(entry.value, path: entry.key)
        }
    }

    /// What the field at a path of the manifest is for, such as `loops.levels.state.left`; nil when nothing is said.
    public subscript(path: String) -> String? { docs[path] }

    private mutating func add(_ node: TOMLNode, path: String) {
        // Without `type` it may be a record, one of whose fields is called `doc`.
        if node.entry("type") != nil, let doc = node.entry("doc")?.value.string { docs[path] = doc }
        for entry in node.entries { add(entry.value, path: "\(path).\(entry.key)") }
    }
}
