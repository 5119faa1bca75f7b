/// The keys and values of a manifest's text with their places, also of a text that is not TOML. Editors ask it while
/// the text is being written.
///
/// It is quick to make, and never fails. It checks nothing.
package struct ManifestIndex: Sendable {
    /// A key or an element of an array, with its value.
    package struct Node: Sendable {
        package enum Kind: Sendable {
            /// A table of headers and dotted keys.
            case table
            case inlineTable, array, string
            /// A string without its end.
            case openString
            /// Any other value.
            case plain
            /// A key without a value.
            case missing
        }

        /// The index of the table or array around it; nil for the root.
        package let parent: Int?
        /// The key without quotes; for an element `[` number `]`.
        package let key: String
        package let isElement: Bool
        /// Nil for an unknown key.
        package let place: SchemaPlace?
        package internal(set) var kind: Kind
        /// The characters of the value, in UTF-8 offsets.
        package internal(set) var value: Range<Int>
        /// From the key, or the header that first names it, to the end of what belongs to it.
        package internal(set) var extent: Range<Int>
        package internal(set) var children: [Int] = []
        /// Where its key is written first; nil for an element.
        package internal(set) var mention: Range<Int>?
    }

    /// A key where it is written.
    package struct Mention: Sendable {
        package let node: Int
        package let range: Range<Int>
    }

    /// The place at the end of the text, for completion.
    package enum Place: Sendable {
        /// A key of a table. The range is what is written of it.
        case key(table: Int, Range<Int>)
        /// A part of a header: a key of a table, in a header of one or two brackets.
        case header(table: Int, Range<Int>, brackets: Int)
        /// A value, or a part of it. The range is what is written of it.
        case value(Int, Range<Int>)
    }

    package let bytes: [UInt8]
    /// The root comes first.
    package internal(set) var nodes: [Node]
    /// In the order of the text.
    package internal(set) var mentions: [Mention] = []
    /// Nil where only a comment, or nothing, can follow.
    package internal(set) var place: Place?
    /// Changes that make TOML of a text with the faults of one that is being written.
    package internal(set) var repairs: [(range: Range<Int>, text: String)] = []
    /// The nodes with a value that is neither a table nor an array, in the order of the text.
    package internal(set) var scalars: [Int] = []

    private struct Child: Hashable {
        let parent: Int
        let key: String
    }

    /// The keys of tables that have many. In a table with few, comparing with each costs less than a hash.
    private var indices: [Child: Int] = [:]
    private static let fewKeys = 8

    /// Where the headers with a whole name begin, in the order of the text; and whether an array of tables is in the name.
    private var headers: [(start: Int, isInArray: Bool)] = []

    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - start: the offset where to begin, from `start(before:)`. The index leaves out what is before it.
    package init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        nodes = [
            Node(
                parent: nil, key: "", isElement: false, place: .root, kind: .table,
                value: 0..<0, extent: 0..<bytes.count)
        ]
        nodes.reserveCapacity((bytes.count - start) / 32 + 1)
        var reader = ManifestIndexReader(bytes, from: start)
        reader.read(into: &self)
    }

    /// Notes that a header of a table begins at an offset.
    mutating func addHeader(of table: Int, at start: Int) {
        var present: Int? = table
        while let next = present, !nodes[next].isElement { present = nodes[next].parent }
        headers.append((start, isInArray: present != nil))
    }

    /// Where another index can begin whose `place` is that of the text up to an offset. It is the header before the
    /// offset. If that header belongs to an array of tables, it is the start, because the path counts the tables.
    package func start(before offset: Int) -> Int {
        let after = headers.countBefore { $0.start >= offset }
        guard let header = headers[..<after].last, !header.isInArray else { return 0 }
        return header.start
    }

    /// Notes that a key is written in a range.
    mutating func mention(_ node: Int, at range: Range<Int>) {
        mentions.append(Mention(node: node, range: range))
        if nodes[node].mention == nil { nodes[node].mention = range }
    }

    /// The key of a table; it is added if it is not there.
    mutating func child(_ key: String, of parent: Int, at range: Range<Int>) -> Int {
        if let index = find(key, of: parent) { return index }
        let index = add(key, to: parent, isElement: false, place: nodes[parent].place?.key(key), at: range)
        let count = nodes[parent].children.count
        guard count > Self.fewKeys else { return index }
        for child in count == Self.fewKeys + 1 ? nodes[parent].children : [index]
        where !nodes[child].isElement {
            indices[Child(parent: parent, key: nodes[child].key)] = child
        }
        return index
    }

    private func find(_ key: String, of parent: Int) -> Int? {
        guard nodes[parent].children.count <= Self.fewKeys else {
            return indices[Child(parent: parent, key: key)]
        }
        return nodes[parent].children.first { !nodes[$0].isElement && nodes[$0].key == key }
    }

    /// A new element of an array.
    mutating func element(of parent: Int, at range: Range<Int>) -> Int {
        let key = "[\(nodes[parent].children.count)]"
        return add(key, to: parent, isElement: true, place: nodes[parent].place?.elements, at: range)
    }

    private mutating func add(
        _ key: String, to parent: Int, isElement: Bool, place: SchemaPlace?, at range: Range<Int>
    ) -> Int {
        nodes.append(
            Node(
                parent: parent, key: key, isElement: isElement, place: place, kind: .missing,
                value: range.upperBound..<range.upperBound, extent: range))
        nodes[parent].children.append(nodes.count - 1)
        return nodes.count - 1
    }

    // MARK: Questions

    /// The node of a key or an element of a node; nil for another key.
    package func child(_ key: String, of node: Int) -> Int? {
        if nodes[node].kind == .array || key.utf8.first == UInt8(ascii: "[") {
            guard let number = Int(key.dropFirst().dropLast()), nodes[node].children.indices.contains(number),
                case let child = nodes[node].children[number], nodes[child].isElement
            else { return nil }
            return child
        }
        return find(key, of: node)
    }

    /// The node at a path from the root; nil if the path leads to nothing.
    package func node(at path: some Sequence<String>) -> Int? {
        var node = 0
        for key in path {
            guard let next = child(key, of: node) else { return nil }
            node = next
        }
        return node
    }

    /// The keys and elements from the root to a node.
    package func path(of node: Int) -> [String] {
        var (path, present): ([String], Int) = ([], node)
        while let parent = nodes[present].parent {
            path.append(nodes[present].key)
            present = parent
        }
        return path.reversed()
    }

    /// The text in a range.
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether the value of a node is a type, or a part of one.
    package func isType(_ node: Int) -> Bool {
        var present: Int? = node
        while let next = present, nodes[next].place == nil || nodes[next].isElement {
            present = nodes[next].parent
        }
        return present.flatMap { nodes[$0].place?.field?.form.isType } ?? false
    }

    /// The key that is written at an offset, also just behind it; nil between keys.
    package func mention(at offset: Int) -> Mention? {
        let after = mentions.countBefore { $0.range.lowerBound > offset }
        return mentions[..<after].last.flatMap { $0.range.upperBound >= offset ? $0 : nil }
    }

    /// The node whose value, neither a table nor an array, is at an offset; nil between such values.
    package func scalar(at offset: Int) -> Int? {
        let after = scalars.countBefore { nodes[$0].value.lowerBound > offset }
        return scalars[..<after].last.flatMap { nodes[$0].value.upperBound >= offset ? $0 : nil }
    }

    /// The content of a node with a string; nil for another node.
    package func string(of node: Int) -> StringLiteral? {
        switch nodes[node].kind {
        case .string: StringLiteral(bytes, nodes[node].value, isOpen: false)
        case .openString: StringLiteral(bytes, nodes[node].value, isOpen: true)
        default: nil
        }
    }

    /// The text with its repairs.
    package var repaired: [UInt8] {
        var (result, index): ([UInt8], Int) = ([], 0)
        // Those in the same place stay in their order.
        let sorted = repairs.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for (_, repair) in sorted where repair.range.lowerBound >= index {
            result += bytes[index..<repair.range.lowerBound]
            result += repair.text.utf8
            index = repair.range.upperBound
        }
        return result + bytes[index...]
    }
}

extension Array {
    /// The number of elements before the first one that has a property, which all later ones have, too.
    package func countBefore(_ has: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if has(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
