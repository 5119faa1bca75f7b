import Diagnostics
import Records

/// Reads types that the manifest gives in strings: `i32`, `[string]`, `timestamp?`, `low | high`.
struct TypeSyntax {
    /// The deepest nesting of a type. It bounds the recursion over types.
    static let maximumDepth = 16

    /// The names of the simple types.
    static let names: [String] = [
        "bool", "i8", "i16", "i32", "i64", "int", "u8", "u16", "u32", "u64", "uint", "f32", "f64", "double",
        "string",
        "bytes", "duration", "timestamp", "pointer",
    ]

    /// Reads the type in a text.
    ///
    /// - Throws: `TextFault` at the part that is not a type.
    static func parse(_ text: String) throws(TextFault) -> ValueType {
        try parse(Substring(text), in: text, depth: 0)
    }

    /// True for a text that is surely meant as a type: a simple type, also in brackets or with a question
    /// mark.
    static func isTypeName(_ text: String) -> Bool {
        var core = Substring(text)
        if core.last == "?" { core.removeLast() }
        while core.first == "[", core.last == "]", core.count > 2 { core = core.dropFirst().dropLast() }
        return names.contains(String(core))
    }

    private static func parse(
        _ part: Substring, in text: String, depth: Int
    ) throws(TextFault) -> ValueType {
        let part = trimmed(part)
        func fault(_ message: String, help: [String] = []) -> TextFault {
            let start = text.utf8.distance(from: text.startIndex, to: part.startIndex)
            return TextFault(
                ManifestCode.unknownType.code, message, at: start..<start + part.utf8.count, help: help)
        }
        guard depth < maximumDepth else { throw fault("types nest at most \(maximumDepth) deep") }
        if part.last == "?" {
            let wrapped = try parse(part.dropLast(), in: text, depth: depth + 1)
            guard !wrapped.isOptional else { throw fault("`\(part)` is optional twice") }
            return .optional(wrapped)
        }
        if part.first == "[", part.last == "]" {
            return .list(try parse(part.dropFirst().dropLast(), in: text, depth: depth + 1))
        }
        if part.contains("|") {
            let members = part.split(separator: "|", omittingEmptySubsequences: false).map {
                String(trimmed($0))
            }
            for member in members where !isMember(member) {
                throw fault(
                    "`\(member)` cannot be a member of an enumeration",
                    help: ["a member is letters, digits and `_`, a letter first, such as `low | high`"])
            }
            guard Set(members).count == members.count else { throw fault("`\(part)` has a member twice") }
            return .enumeration(EnumerationType(members: members))
        }
        guard let type = simple(String(part)) else {
            throw fault(
                part.isEmpty ? "a type is missing" : "unknown type `\(part)`",
                help: names.suggestion(for: String(part)).map { [$0] } ?? [
                    "types are \(names.quoted), `[T]`, `T?` and `a | b`",
                    "write records and lists of records without quotes: `{ x = \"f64\" }`, `[{ x = \"f64\" }]`",
                ])
        }
        return type
    }

    private static func simple(_ name: String) -> ValueType? {
        switch name {
        case "bool": .bool
        case "int": .integer(.i64)
        case "uint": .integer(.u64)
        case "f32": .float
        case "f64", "double": .double
        case "string": .string
        case "bytes": .bytes
        case "duration": .duration
        case "timestamp": .timestamp
        case "pointer": .pointer
        default: IntegerType(rawValue: name).map(ValueType.integer)
        }
    }

    private static func isMember(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else {
            return false
        }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
