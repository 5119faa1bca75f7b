import Diagnostics

/// A value of a TOML file, with its span.
struct TOMLNode: Sendable {
    /// The value itself. A date, a time or both is kept as its text.
    enum Content: Sendable {
        case table([TOMLEntry], isInline: Bool)
        case array([TOMLNode])
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        case date(String)
    }

    /// The kinds of values, as TOML names them.
    enum Kind: Sendable, CaseIterable {
        case table, array, string, integer, float, boolean, date

        /// The kind with its article: `an integer`.
        var words: String {
            switch self {
            case .table: "a table"
            case .array: "an array"
            case .string: "a string"
            case .integer: "an integer"
            case .float: "a float"
            case .boolean: "a boolean"
            case .date: "a date"
            }
        }
    }

    let content: Content
    /// The characters of the value; for a table without braces, its header.
    let span: SourceSpan

    var kind: Kind {
        switch content {
        case .table: .table
        case .array: .array
        case .string: .string
        case .integer: .integer
        case .float: .float
        case .boolean: .boolean
        case .date: .date
        }
    }

    /// The entries of a table in source order; empty for anything else.
    var entries: [TOMLEntry] { if case .table(let entries, _) = content { entries } else { [] } }

    /// The elements of an array, or the value itself: for keys that accept one value or several.
    var oneOrSeveral: [TOMLNode] { if case .array(let elements) = content { elements } else { [self] } }

    /// The text of a string; nil for anything else.
    var string: String? { if case .string(let text) = content { text } else { nil } }

    /// True for a table written `{ … }`, and for any value that is not a table.
    var isInline: Bool { if case .table(_, let isInline) = content { isInline } else { true } }

    /// The part at a path of names and `[index]`es; a step that does not exist is skipped.
    func part(_ path: some Sequence<String>) -> TOMLNode {
        path.reduce(self) { node, step in
            if case .array(let elements) = node.content {
                guard let index = Int(step.dropFirst().dropLast()), elements.indices.contains(index) else {
                    return node
                }
                return elements[index]
            }
            return node.entry(step)?.value ?? node
        }
    }

    /// The entry of a table under a key; nil if there is none.
    func entry(_ key: String) -> TOMLEntry? { entries.first { $0.key == key } }
}

/// A key of a TOML table with its value.
struct TOMLEntry: Sendable {
    /// The key without quotes.
    let key: String
    /// The characters of the key. In a dotted key or a header: the part that names this entry.
    let keySpan: SourceSpan
    let value: TOMLNode

    /// True for a table that its own or a longer header defines; then `value.span` is that header.
    var hasHeader: Bool { value.kind == .table && value.span.start < keySpan.start }
}
