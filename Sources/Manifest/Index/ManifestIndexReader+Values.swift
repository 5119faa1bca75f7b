extension ManifestIndexReader {
    /// Reads the value of a key or an element.
    mutating func readValue(of node: Int, _ index: inout ManifestIndex, depth: Int) {
        guard let first = token else {
            index.place = .value(node, end..<end)
            index.repairs.append((lastEnd..<lastEnd, " \"\""))
            return
        }
        guard depth < Self.maximumDepth else { return advance() }
        let range = first.text.startIndex..<first.text.endIndex
        switch first.kind {
        case .string: set(node, .string, range, &index)
        case .openString:
            set(node, .openString, range, &index)
            let quotes = Self.quotes(first.text)
            if range.upperBound == end {
                index.place = .value(node, min(range.lowerBound + quotes.utf8.count, end)..<end)
            }
            index.repairs.append((range.upperBound..<range.upperBound, quotes))
        case .word: readWord(of: node, &index)
        case .openBrace: readTable(node, &index, depth: depth)
        case .openBracket: readArray(node, &index, depth: depth)
        case .newline, .comment, .comma, .closeBrace, .closeBracket, .equals:
            index.repairs.append((lastEnd..<lastEnd, " \"\""))
            return
        }
        if first.kind == .string || first.kind == .openString { advance() }
    }

    private func set(
        _ node: Int, _ kind: ManifestIndex.Node.Kind, _ range: Range<Int>, _ index: inout ManifestIndex
    ) {
        index.nodes[node].kind = kind
        index.nodes[node].value = range
        index.scalars.append(node)
    }

    /// The quotes that end a string.
    private static func quotes(_ literal: ArraySlice<UInt8>) -> String {
        let quote = Array(literal.prefix(1))
        let isLong = literal.count > 2 && literal.prefix(3).allSatisfy { $0 == quote[0] }
        return String(decoding: isLong ? quote + quote + quote : quote, as: UTF8.self)
    }

    private mutating func readWord(of node: Int, _ index: inout ManifestIndex) {
        guard let first = token else { return }
        var range = first.text.startIndex..<first.text.endIndex
        advance()
        // A date and a time may have a space between them.
        if Self.isNumber(first.text), let next = token, next.kind == .word, Self.isNumber(next.text) {
            range = range.lowerBound..<next.text.endIndex
            advance()
        }
        set(node, .plain, range, &index)
        if range.upperBound == end { index.place = .value(node, range) }
        let text = String(decoding: first.text.drop { "+-".utf8.contains($0) }, as: UTF8.self)
        if !Self.isNumber(first.text), !Self.words.contains(text) { index.repairs.append((range, "\"\"")) }
    }

    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.drop { "+-".utf8.contains($0) }
        return digits.first.map { (48...57).contains($0) } ?? false
    }

    private mutating func readTable(_ node: Int, _ index: inout ManifestIndex, depth: Int) {
        let start = token?.text.startIndex ?? end
        index.nodes[node].kind = .inlineTable
        advance()
        var comma: Range<Int>?
        // Whether a key may follow.
        var isOpen = true
        func close(_ index: inout ManifestIndex, isWritten: Bool, at last: Int) {
            if let comma, isOpen { index.repairs.append((comma, "")) }
            if !isWritten { index.repairs.append((last..<last, " }")) }
            index.nodes[node].value = start..<last
        }
        while let next = token {
            let range = next.text.startIndex..<next.text.endIndex
            switch next.kind {
            case .closeBrace:
                advance()
                return close(&index, isWritten: true, at: lastEnd)
            case .newline, .comment: return close(&index, isWritten: false, at: lastEnd)
            // An array without its end ended before this line.
            case _ where isLineStart: return close(&index, isWritten: false, at: lastContentEnd)
            case .comma:
                if isOpen { index.repairs.append((range, "")) } else { (comma, isOpen) = (range, true) }
                advance()
            case .word, .string, .openString:
                if !isOpen { index.repairs.append((lastEnd..<lastEnd, ",")) }
                readEntry(in: node, &index, depth: depth + 1)
                isOpen = false
            case .equals, .openBrace, .openBracket, .closeBracket:
                // The bracket may end the array around the table.
                if next.kind == .closeBracket { return close(&index, isWritten: false, at: lastEnd) }
                index.repairs.append((range, ""))
                advance()
            }
        }
        if isOpen, index.place == nil { index.place = .key(table: node, end..<end) }
        close(&index, isWritten: false, at: lastContentEnd)
    }

    private mutating func readArray(_ node: Int, _ index: inout ManifestIndex, depth: Int) {
        let start = token?.text.startIndex ?? end
        index.nodes[node].kind = .array
        advance()
        // Whether a value may follow.
        var isOpen = true
        func close(_ index: inout ManifestIndex, isWritten: Bool, at last: Int) {
            if !isWritten { index.repairs.append((last..<last, "]")) }
            index.nodes[node].value = start..<last
        }
        var lastValue = lastEnd
        while let next = token {
            switch next.kind {
            case .closeBracket:
                advance()
                return close(&index, isWritten: true, at: lastEnd)
            case .newline, .comment: advance()
            case _ where isLineStart && beginsLine: return close(&index, isWritten: false, at: lastValue)
            case .comma:
                if isOpen {
                    index.repairs.append((next.text.startIndex..<next.text.endIndex, ""))
                }
                isOpen = true
                advance()
                lastValue = lastEnd
            case .closeBrace, .equals:
                // The brace may end the table around the array.
                return close(&index, isWritten: false, at: lastValue)
            case .word, .string, .openString, .openBrace, .openBracket:
                if !isOpen { index.repairs.append((lastEnd..<lastEnd, ",")) }
                let element = index.element(of: node, at: next.text.startIndex..<next.text.startIndex)
                readValue(of: element, &index, depth: depth + 1)
                index.extend(element, from: next.text.startIndex, to: lastEnd)
                isOpen = false
                lastValue = lastEnd
            }
        }
        if isOpen, index.place == nil, !isAfterComment {
            let element = index.element(of: node, at: end..<end)
            index.place = .value(element, end..<end)
        }
        close(&index, isWritten: false, at: lastValue)
    }

    /// Whether the token looks like the start of a key with a value, or of a header.
    private var beginsLine: Bool {
        guard let token else { return false }
        var rest = self
        rest.advance()
        switch token.kind {
        case .word, .string: return rest.token?.kind == .equals
        case .openBracket:
            // Of an array of tables, or of an array in an array.
            if rest.token?.kind == .openBracket { rest.advance() }
            guard let name = rest.token, name.kind == .word, let first = name.text.first else { return false }
            return (97...122).contains(first)
                && !Self.words.contains(String(decoding: name.text, as: UTF8.self))
        default: return false
        }
    }

    /// The values that are words.
    private static let words: Set = ["true", "false", "inf", "nan"]
}
