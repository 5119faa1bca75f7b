/// Reads the keys and values of a text for its `ManifestIndex`, and how its faults can be repaired.
///
/// An inline table without its end ends with its line. An array without its end ends before a line that looks like a
/// header, or like a key with a value.
struct ManifestIndexReader {
    private var lexer: TOMLLexer
    private(set) var token: TOMLToken?
    /// The end of the text.
    let end: Int
    /// The end of the token before.
    private(set) var lastEnd = 0
    /// The end of the last token that is neither a comment nor the end of a line.
    private(set) var lastContentEnd = 0
    /// Whether the token is the first of its line.
    private(set) var isLineStart = true
    /// Whether the token before is a comment.
    private(set) var isAfterComment = false

    /// The greatest nesting of values, as for toml++.
    static let maximumDepth = 64

    init(_ bytes: [UInt8], from start: Int) {
        (lexer, end) = (TOMLLexer(bytes, from: start), bytes.count)
        token = lexer.nextOfAnyText()
    }

    mutating func advance() {
        guard let last = token else { return }
        lastEnd = last.text.endIndex
        if last.kind != .newline, last.kind != .comment { lastContentEnd = lastEnd }
        (isLineStart, isAfterComment) = (last.kind == .newline, last.kind == .comment)
        token = lexer.nextOfAnyText()
    }

    mutating func read(into index: inout ManifestIndex) {
        var section = 0
        while let next = token {
            switch next.kind {
            case .newline, .comment: break
            case .openBracket: section = readHeader(&index)
            case .word, .string, .openString: readEntry(in: section, &index, depth: 0)
            case .equals, .comma, .closeBracket, .openBrace, .closeBrace:
                index.repairs.append((next.text.startIndex..<next.text.endIndex, ""))
                advance()
            }
            skipLine(&index)
        }
        if index.place == nil, isLineStart { index.place = .key(table: section, end..<end) }
    }

    /// Skips to the next line. It removes what stands there but a comment.
    private mutating func skipLine(_ index: inout ManifestIndex) {
        var garbage: Range<Int>?
        // Behind an array that ended before it, a line has begun already.
        while let next = token, !isLineStart || next.kind == .newline || next.kind == .comment {
            if next.kind != .newline, next.kind != .comment {
                garbage = (garbage?.lowerBound ?? next.text.startIndex)..<next.text.endIndex
            }
            advance()
            if next.kind == .newline { break }
        }
        if let garbage { index.repairs.append((garbage, "")) }
    }

    // MARK: Keys

    private struct Key {
        var parts: [(name: String, range: Range<Int>)] = []
        /// Whether a part is missing, at the start or after a dot.
        var isOpen = true

        mutating func add(_ part: ArraySlice<UInt8>) {
            add(String(decoding: part, as: UTF8.self), part.startIndex..<part.endIndex)
        }

        /// It leaves out further parts: no manifest has such a key.
        mutating func add(_ name: String, _ range: Range<Int>) {
            isOpen = false
            if parts.count < ManifestIndexReader.maximumDepth { parts.append((name, range)) }
        }
    }

    private mutating func readKey() -> Key {
        var key = Key()
        while let next = token {
            switch next.kind {
            case .string, .openString:
                guard key.isOpen else { return key }
                let range = next.text.startIndex..<next.text.endIndex
                let content = next.text.dropFirst().dropLast(next.kind == .string ? 1 : 0)
                key.add(String(decoding: content, as: UTF8.self), range)
            case .word:
                guard key.isOpen || next.text.first == UInt8(ascii: ".") else { return key }
                add(next.text, to: &key)
            default: return key
            }
            advance()
        }
        return key
    }

    private func add(_ word: ArraySlice<UInt8>, to key: inout Key) {
        var start = word.startIndex
        for offset in word.indices where word[offset] == UInt8(ascii: ".") {
            if start < offset { key.add(word[start..<offset]) }
            key.isOpen = true
            start = offset + 1
        }
        if start < word.endIndex { key.add(word[start...]) }
    }

    /// The table that the first parts of a key name. In an array of tables it is the last one.
    private func descend(
        _ parts: ArraySlice<(name: String, range: Range<Int>)>, from table: Int, _ index: inout ManifestIndex,
        notesMentions: Bool = true
    ) -> Int {
        var node = table
        for part in parts {
            node = index.child(part.name, of: node, at: part.range)
            if notesMentions { index.mention(node, at: part.range) }
            if index.nodes[node].kind == .missing { index.nodes[node].kind = .table }
            if index.nodes[node].kind == .array, let last = index.nodes[node].children.last { node = last }
        }
        return node
    }

    /// The place in a key at the end of the text: its table, and what is written of the last part.
    private func place(in key: Key, of table: Int, _ index: inout ManifestIndex) -> (Int, Range<Int>)? {
        guard let last = key.parts.last, !key.isOpen else {
            return (descend(key.parts[...], from: table, &index, notesMentions: false), end..<end)
        }
        guard last.range.upperBound == end else { return nil }
        return (descend(key.parts.dropLast(), from: table, &index, notesMentions: false), last.range)
    }

    // MARK: Headers and entries

    private mutating func readHeader(_ index: inout ManifestIndex) -> Int {
        guard let start = token?.text.startIndex else { return 0 }
        var brackets = 0
        while brackets < 2, token?.kind == .openBracket {
            brackets += 1
            advance()
        }
        let key = readKey()
        if token == nil, let (table, range) = place(in: key, of: 0, &index) {
            index.place = .header(table: table, range, brackets: brackets)
        }
        guard let last = key.parts.last, !key.isOpen else {
            index.repairs.append((start..<start, "#"))
            return descend(key.parts[...], from: 0, &index)
        }
        var closed = 0
        while closed < brackets, token?.kind == .closeBracket {
            closed += 1
            advance()
        }
        if closed < brackets {
            index.repairs.append((lastEnd..<lastEnd, String(repeating: "]", count: brackets - closed)))
        }
        var section = descend(key.parts.dropLast(), from: 0, &index)
        section = index.child(last.name, of: section, at: last.range)
        index.mention(section, at: last.range)
        let isArray = brackets == 2 || index.nodes[section].kind == .array
        if index.nodes[section].kind == .missing {
            index.nodes[section].kind = isArray ? .array : .table
            index.nodes[section].value = start..<lastEnd
        }
        if isArray, brackets == 2 || index.nodes[section].children.isEmpty {
            section = index.element(of: section, at: start..<lastEnd)
            index.nodes[section].kind = .table
            index.nodes[section].value = start..<lastEnd
        } else if isArray, let element = index.nodes[section].children.last {
            section = element
        }
        index.extend(section, from: start, to: lastEnd)
        index.addHeader(of: section, at: start)
        return section
    }

    mutating func readEntry(in table: Int, _ index: inout ManifestIndex, depth: Int) {
        let key = readKey()
        guard let last = key.parts.last else { return }
        if token == nil, let (table, range) = place(in: key, of: table, &index) {
            index.place = .key(table: table, range)
        }
        let parent = descend(key.parts.dropLast(), from: table, &index)
        let node = index.child(last.name, of: parent, at: last.range)
        index.mention(node, at: last.range)
        guard token?.kind == .equals else {
            index.repairs.append((last.range.upperBound..<lastEnd, " = \"\""))
            index.extend(node, from: last.range.lowerBound, to: lastEnd)
            return
        }
        if key.isOpen { index.repairs.append((last.range.upperBound..<lastEnd, "")) }
        advance()
        readValue(of: node, &index, depth: depth)
        index.extend(node, from: key.parts[0].range.lowerBound, to: lastEnd)
    }
}

extension ManifestIndex {
    /// Extends a node, and what it belongs to, over a range.
    mutating func extend(_ node: Int, from start: Int, to end: Int) {
        var present: Int? = node
        while let next = present {
            let extent = nodes[next].extent
            nodes[next].extent = min(extent.lowerBound, start)..<max(extent.upperBound, end)
            present = nodes[next].parent
        }
    }
}
