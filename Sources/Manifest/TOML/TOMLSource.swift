import CToml
import Diagnostics

/// A TOML file that is parsed into a tree with spans.
struct TOMLSource: Sendable {
    let file: SourceFile
    /// The characters of the file, to read the text of a value again.
    let scalars: [Unicode.Scalar]
    // By line, the index of its first character.
    private let lineStarts: [Int]

    init(file: SourceFile) {
        self.file = file
        var (scalars, lineStarts): ([Unicode.Scalar], [Int]) = ([], [0])
        scalars.reserveCapacity(file.text.utf8.count)
        for scalar in file.text.unicodeScalars {
            scalars.append(scalar)
            if scalar == "\n" { lineStarts.append(scalars.count) }
        }
        (self.scalars, self.lineStarts) = (scalars, lineStarts)
    }

    /// The index in `scalars` of a position in the file.
    func index(of position: SourcePosition) -> Int {
        guard position.line <= lineStarts.count else { return scalars.count }
        return min(lineStarts[position.line - 1] + position.column - 1, scalars.count)
    }

    /// The position in the file of an index in `scalars`.
    func position(of index: Int) -> SourcePosition {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= index { low = middle } else { high = middle }
        }
        return SourcePosition(line: low + 1, column: index - lineStarts[low] + 1)
    }

    /// The characters from one index up to another.
    func span(_ range: Range<Int>) -> SourceSpan {
        SourceSpan(file: file, start: position(of: range.lowerBound), end: position(of: range.upperBound))
    }

    /// The root table.
    ///
    /// - Throws: one `Diagnostic`, because toml++ stops at the first fault.
    func parse() throws(Diagnostic) -> TOMLNode {
        // Safe because the shim copies the text, and its document lives until the end of this function.
        var text = file.text
        let document = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe toml_document_parse($0.baseAddress, $0.count)
            }
        }
        defer { unsafe toml_document_destroy(document) }
        guard let document = unsafe document else {
            throw Diagnostic(
                .error, ManifestCode.fileTooLarge.code, "not enough memory to read `\(file.name)`")
        }
        var position = toml_position()
        let error = unsafe String(toml_document_error(document, &position))
        guard error.isEmpty else {
            throw TOMLFault(description: error, position: SourcePosition(position)).diagnostic(in: self)
        }
        var count = 0
        let nodes = unsafe UnsafeBufferPointer(start: toml_document_nodes(document, &count), count: count)
        var index = 0
        return unsafe read(nodes, &index).value
    }

    // The nesting of keys and values is bounded by the shim.
    private func read(_ nodes: UnsafeBufferPointer<toml_node>, _ index: inout Int) -> TOMLEntry {
        // Safe because the document lives while it is read, and `descendants` stays within its nodes.
        let node = unsafe nodes[index]
        let end = unsafe index + 1 + Int(node.descendants)
        index += 1
        var children: [TOMLEntry] = []
        while index < end { unsafe children.append(read(nodes, &index)) }
        let content: TOMLNode.Content =
            switch unsafe Int(node.kind) {
            case TOML_TABLE: unsafe .table(children, isInline: node.is_inline != 0)
            case TOML_ARRAY: .array(children.map(\.value))
            case TOML_STRING: unsafe .string(String(node.text))
            case TOML_INTEGER: unsafe .integer(node.integer)
            case TOML_FLOAT: unsafe .float(node.number)
            case TOML_BOOLEAN: unsafe .boolean(node.integer != 0)
            default: unsafe .date(String(node.text))
            }
        return unsafe TOMLEntry(
            key: String(node.key), keySpan: span(node.key_begin, node.key_end),
            value: TOMLNode(content: content, span: span(node.begin, node.end)))
    }

    private func span(_ begin: toml_position, _ end: toml_position) -> SourceSpan {
        let start = SourcePosition(begin)
        return SourceSpan(file: file, start: start, end: max(start, SourcePosition(end)))
    }
}

extension SourcePosition {
    fileprivate init(_ position: toml_position) {
        self.init(line: Int(position.line), column: Int(position.column))
    }
}

extension String {
    fileprivate init(_ text: toml_text) {
        // Safe because the document owns the bytes and lives while its nodes are read.
        self = unsafe String(
            decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.size), as: UTF8.self)
    }
}
