import Manifest

/// The files of a manifest, and what was last found out about it.
struct Project {
    /// The manifest first.
    let files: [ManifestText]
    let model: ProjectModel?
    /// The names of the loops.
    let loops: [String]

    init(files: [ManifestText], model: ProjectModel?) {
        (self.files, self.model) = (files, model)
        loops = files.flatMap { $0.keys(at: ["loops"]) }
    }

    /// A declaration of a name.
    struct Declaration {
        let file: ManifestText
        let node: Int
        /// Where the name is written.
        let range: Range<Int>
    }

    /// The declarations of a name, in the order of the files.
    func declarations(of name: ManifestName) -> [Declaration] {
        files.flatMap { file in
            name.places.flatMap { nodes(at: $0[...], from: 0, in: file.index) }.compactMap { node in
                file.index.nodes[node].mention.map { Declaration(file: file, node: node, range: $0) }
            }
        }
    }

    /// The names that are declared in the places of a name, each once.
    func names(beside name: ManifestName) -> [String] {
        var seen: Set<String> = []
        return files.flatMap { file in
            name.places.flatMap { nodes(at: $0.dropLast(), from: 0, in: file.index) }.flatMap { table in
                file.index.nodes[table].children.map { file.index.nodes[$0].key }
            }
        }.filter { !$0.hasPrefix("x-") && !$0.hasPrefix("[") && !$0.isEmpty && seen.insert($0).inserted }
    }

    private func nodes(at path: ArraySlice<String>, from node: Int, in index: ManifestIndex) -> [Int] {
        guard let key = path.first else { return [node] }
        if key == "*" {
            return index.nodes[node].children.flatMap { nodes(at: path.dropFirst(), from: $0, in: index) }
        }
        return index.child(key, of: node).map { nodes(at: path.dropFirst(), from: $0, in: index) } ?? []
    }

    /// The keys of a table in all files.
    func keys(at path: [String]) -> [String] { files.flatMap { $0.keys(at: path) } }

    var plugins: [String] { keys(at: ["plugins"]) }
    func events(of loop: String) -> [String] { keys(at: ["loops", loop, "events"]) }
    func cases(of loop: String) -> [String] { keys(at: ["loops", loop, "states"]) }

    /// The names of the fields of a state, each once.
    func fields(of loop: String) -> [String] {
        let own = ["state", "shared"].flatMap { keys(at: ["loops", loop, $0]) }
        let all = own + cases(of: loop).flatMap { keys(at: ["loops", loop, "states", $0]) }
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }

    func feedbacks(of loop: String) -> [String] {
        keys(at: ["loops", loop, "feedback"])
            + cases(of: loop).flatMap { keys(at: ["loops", loop, "in", $0, "feedback"]) }
    }

    /// The loop that a path of a file belongs to; nil if it belongs to none.
    func loop(of path: [String], in file: ManifestText) -> String? {
        guard path.count > 1 else { return nil }
        if path[0] == "loops" { return path[1] }
        guard path[0] == "tests" else { return nil }
        return file.string(at: [path[0], path[1], "loop"]) ?? (loops.count == 1 ? loops[0] : nil)
    }

    /// The events that `event` may mean in an expression at a path.
    func events(at path: [String], in file: ManifestText) -> [String] {
        guard let loop = loop(of: path, in: file) else { return [] }
        var rest = path.dropFirst(2)
        if path[0] == "tests" {
            // In the answer of a test for a feedback: `effects.NAME`.
            guard rest.first == "effects", let name = rest.dropFirst().first else { return [] }
            rest = ["feedback", name]
        }
        var prefix = Array(path[0] == "tests" ? ["loops", loop] : path.prefix(2))
        if rest.first == "in" {
            prefix += rest.prefix(2)
            rest = rest.dropFirst(2)
        }
        guard let name = rest.dropFirst().first else { return [] }
        switch rest.first {
        case "on": return name == "*" ? events(of: loop) : [name]
        case "feedback":
            // A test names a feedback without the case in which it stands.
            let inCases = path[0] == "tests" ? cases(of: loop).map { prefix + ["in", $0] } : []
            return files.flatMap { file in
                ([prefix] + inCases).flatMap { file.strings(at: $0 + ["feedback", name, "on"]) }
            }
        default: return []
        }
    }
}
