import Diagnostics

/// The keys and headers of a text that toml++ refused. toml++ reports one position and keeps no tree; this
/// outline finds the first definition of a key that is defined twice.
///
/// It stops at the first text that it cannot read, and never fails.
struct TOMLOutline {
    /// A key with a value, or a header.
    struct Mention {
        enum Kind { case header, inlineTable, value }

        let kind: Kind
        /// All parts, including those of the surrounding headers and inline tables. Array elements are
        /// numbers.
        let path: [String]
        /// The key as written, without white space.
        let written: String
        /// Its start: for a header, the bracket.
        let start: SourcePosition
        /// The characters of the key.
        let span: SourceSpan
        /// The end of an inline table; nil for anything else, and for a table that was not read to its end.
        fileprivate(set) var end: SourcePosition?
    }

    private(set) var mentions: [Mention] = []
    private let source: TOMLSource
    private var index = 0

    init(_ source: TOMLSource) {
        self.source = source
        var header: [String] = []
        var elements: [[String]: Int] = [:]
        while true {
            skip { " \t\r\n".unicodeScalars.contains($0) }
            guard let next = peek else { return }
            if next == "[" {
                let start = index
                index += 1
                let isArray = peek == "["
                if isArray { index += 1 }
                guard let (path, range) = readKey() else { return }
                header = path
                if isArray {
                    elements[path, default: -1] += 1
                    header.append(String(elements[path]!))
                }
                mention(.header, header, range, start: start)
                skip { $0 != "\n" }
            } else {
                guard readEntry(in: header, depth: 0) else { return }
                skip { $0 != "\n" }
            }
        }
    }

    private var peek: Unicode.Scalar? {
        mutating get {
            if index < source.scalars.count, source.scalars[index] == "#" { skip { $0 != "\n" } }
            return index < source.scalars.count ? source.scalars[index] : nil
        }
    }

    private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while index < source.scalars.count, condition(source.scalars[index]) { index += 1 }
    }

    private mutating func mention(_ kind: Mention.Kind, _ path: [String], _ range: Range<Int>, start: Int) {
        let written = source.scalars[range].filter { $0 != " " && $0 != "\t" }
        mentions.append(
            Mention(
                kind: kind, path: path, written: String(String.UnicodeScalarView(written)),
                start: source.position(of: start), span: source.span(range)))
    }

    private mutating func readKey() -> (path: [String], range: Range<Int>)? {
        var path: [String] = []
        skip { $0 == " " || $0 == "\t" }
        let start = index
        while true {
            let part = index
            if let quote = peek, quote == "\"" || quote == "'" {
                guard skipString() else { return nil }
                path.append(String(String.UnicodeScalarView(source.scalars[part + 1..<index - 1])))
            } else {
                skip {
                    $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) || $0 == "_"
                        || $0 == "-"
                }
                guard index > part else { return nil }
                path.append(String(String.UnicodeScalarView(source.scalars[part..<index])))
            }
            let end = index
            skip { $0 == " " || $0 == "\t" }
            guard peek == "." else { return (path, start..<end) }
            index += 1
            skip { $0 == " " || $0 == "\t" }
        }
    }

    // Recursion is bounded: toml++ refuses values that nest more than 64 deep.
    private mutating func readEntry(in path: [String], depth: Int) -> Bool {
        guard depth < 64, let (key, range) = readKey(), peek == "=" else { return false }
        index += 1
        skip { $0 == " " || $0 == "\t" }
        let number = mentions.count
        mention(peek == "{" ? .inlineTable : .value, path + key, range, start: range.lowerBound)
        guard readValue(path + key, depth: depth) else { return false }
        if mentions[number].kind == .inlineTable { mentions[number].end = source.position(of: index) }
        return true
    }

    private mutating func readValue(_ path: [String], depth: Int) -> Bool {
        guard depth < 64 else { return false }
        switch peek {
        case "\"", "'": return skipString()
        case "{":
            repeat {
                index += 1
                skip { " \t\r\n".unicodeScalars.contains($0) }
                if peek == "}" { break }
                guard readEntry(in: path, depth: depth + 1) else { return false }
                skip { " \t\r\n".unicodeScalars.contains($0) }
            } while peek == ","
            guard peek == "}" else { return false }
            index += 1
            return true
        case "[":
            var element = 0
            repeat {
                index += 1
                repeat { skip { " \t\r\n".unicodeScalars.contains($0) } } while peek == "\n"
                if peek == "]" { break }
                guard readValue(path + [String(element)], depth: depth + 1) else { return false }
                element += 1
                repeat { skip { " \t\r\n".unicodeScalars.contains($0) } } while peek == "\n"
            } while peek == ","
            guard peek == "]" else { return false }
            index += 1
            return true
        default:
            let start = index
            skip { !",]}#\n".unicodeScalars.contains($0) }
            return index > start
        }
    }

    private mutating func skipString() -> Bool {
        let scalars = source.scalars
        let end = TOMLLexer.endOfString(from: index, count: scalars.count) { scalars[$0] }
        index = end ?? scalars.count
        return end != nil
    }
}
