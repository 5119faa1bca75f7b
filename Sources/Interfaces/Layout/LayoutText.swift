import Records

/// Reads the fields of a record from a note. A note may have any content, so every part is checked.
struct LayoutText {
    private struct Line {
        let depth: Int
        let name: String
        let word: String
        let offset: Int
        let size: Int

        init?(_ text: Substring) {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 4, let offset = Int(words[2]), let size = Int(words[3]) else { return nil }
            let dots = words[0].prefix { $0 == "." }
            guard dots.count <= LayoutText.greatestDepth, dots.count < words[0].count else { return nil }
            (depth, name) = (dots.count, String(words[0].dropFirst(dots.count)))
            (word, self.offset, self.size) = (String(words[1]), offset, size)
        }
    }

    /// More than the nesting of any type of a manifest.
    private static let greatestDepth = 32

    private let lines: [Line]
    private var position = 0

    private init?(_ text: String) {
        var lines: [Line] = []
        for part in text.split(separator: "\n") {
            guard let line = Line(part) else { return nil }
            lines.append(line)
        }
        self.lines = lines
    }

    /// The record whose fields a text lists; nil if the text is not a valid layout for this platform.
    static func record(_ text: String) -> RecordType? {
        guard var reader = LayoutText(text), let plain = reader.record(depth: 0) else { return nil }
        let type = reader.position < reader.lines.count ? reader.withCases(plain) : plain
        return reader.position == reader.lines.count ? type : nil
    }

    /// A record with these fields as tag and shared fields, and with the cases in the following lines.
    private mutating func withCases(_ plain: RecordType) -> RecordType? {
        var cases: [(name: String, type: RecordType)] = []
        let first = lines[position]
        while position < lines.count {
            let line = lines[position]
            guard line.depth == 0, line.name.hasPrefix("@"), line.offset == first.offset,
                case .record(let type)? = type(depth: 0), type.size == line.size
            else { return nil }
            cases.append((String(line.name.dropFirst()), type))
        }
        let names = cases.map(\.name)
        let shared = Set(plain.fields.map(\.name))
        guard Set(names).count == names.count,
            case .enumeration(let tag)? = plain.field(RecordType.caseField)?.type, tag.members == names,
            plain.fields[0].name == RecordType.caseField,
            cases.allSatisfy({ $0.type.fields.allSatisfy { !shared.contains($0.name) } })
        else { return nil }
        let type = RecordType(
            cases: cases.map { ($0.name, $0.type.fields.map { ($0.name, $0.type) }) },
            shared: plain.fields.dropFirst().map { ($0.name, $0.type) })
        return type.union.lowerBound == first.offset ? type : nil
    }

    private mutating func record(depth: Int) -> RecordType? {
        var fields: [(name: String, type: ValueType)] = []
        var found: [Line] = []
        while position < lines.count, lines[position].depth == depth, !lines[position].name.hasPrefix("@") {
            found.append(lines[position])
            guard let type = type(depth: depth) else { return nil }
            fields.append((found[found.count - 1].name, type))
        }
        guard Set(fields.map(\.name)).count == fields.count else { return nil }
        let type = RecordType(fields)
        // The plugin's compiler has checked these numbers for its platform. They must hold for this one too.
        let isSame = zip(type.fields, found).allSatisfy { $0.offset == $1.offset && $0.type.size == $1.size }
        return isSame ? type : nil
    }

    /// The type that the line at the position and its sublines describe.
    private mutating func type(depth: Int) -> ValueType? {
        let word = lines[position].word
        position += 1
        switch word {
        case "{}": return record(depth: depth + 1).map(ValueType.record)
        case "[]": return part(depth: depth + 1).map(ValueType.list)
        case "?": return part(depth: depth + 1).map(ValueType.optional)
        default: return Self.scalar(word)
        }
    }

    private mutating func part(depth: Int) -> ValueType? {
        guard position < lines.count, lines[position].depth == depth, lines[position].name == "*" else {
            return nil
        }
        return type(depth: depth)
    }

    private static func single(_ member: String) -> ValueType? {
        member.isEmpty ? nil : .enumeration(EnumerationType(members: [member]))
    }

    private static func scalar(_ word: String) -> ValueType? {
        switch word {
        case "bool": return .bool
        case "f32": return .float
        case "f64": return .double
        case "string": return .string
        case "bytes": return .bytes
        case "duration": return .duration
        case "timestamp": return .timestamp
        case "pointer": return .pointer
        default:
            if let integer = IntegerType(rawValue: word) { return .integer(integer) }
            let members = word.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            // The tag of a state with one case.
            if members.count == 2, members[1].isEmpty { return single(members[0]) }
            guard members.count > 1, Set(members).count == members.count, !members.contains("") else {
                return nil
            }
            return .enumeration(EnumerationType(members: members))
        }
    }
}
