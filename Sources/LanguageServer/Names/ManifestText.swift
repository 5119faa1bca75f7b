import Manifest

/// A file of a manifest, as an editor or the disk has it, with its keys and values.
final class ManifestText: Sendable {
    /// The path without links.
    let path: String
    let lines: TextLines
    let index: ManifestIndex

    init(path: String, _ lines: TextLines) {
        (self.path, self.lines) = (path, lines)
        index = ManifestIndex(lines.bytes)
    }

    /// The text of the string at a path; nil if the path leads to no string.
    func string(at path: [String]) -> String? {
        index.node(at: path).flatMap { index.string(of: $0)?.text }
    }

    /// The keys of the table at a path, in the order of the text; empty if the path leads to no table.
    func keys(at path: [String]) -> [String] {
        guard let node = index.node(at: path) else { return [] }
        return index.nodes[node].children.map { index.nodes[$0].key }.filter {
            !$0.hasPrefix("x-") && !$0.hasPrefix("[")
        }
    }

    /// The texts of a string, or of the strings of an array, at a path.
    func strings(at path: [String]) -> [String] {
        guard let node = index.node(at: path) else { return [] }
        if let text = index.string(of: node)?.text { return [text] }
        return index.nodes[node].children.compactMap { index.string(of: $0)?.text }
    }
}
