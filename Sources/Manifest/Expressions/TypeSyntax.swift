import Diagnostics
import Records

/// Reads types that the manifest gives in strings: `i32`, `[string]`, `timestamp?`, `low | high`, and names of `[types]`.
struct TypeSyntax {
    /// Why a text is no type.
    enum Failure: Error {
        case fault(TextFault)
        /// It uses a type with a fault, which is reported where that type is.
        case consequence
    }

    /// The deepest nesting of a type. It bounds the recursion over types.
    static let maximumDepth = 16

    /// The names of the simple types.
    static let simpleNames: [String] = [
        "bool", "i8", "i16", "i32", "i64", "int", "u8", "u16", "u32", "u64", "uint", "f32", "f64", "double",
        "string",
        "bytes", "duration", "timestamp", "pointer",
    ]

    /// The text.
    let text: String
    /// The types of `[types]`.
    let named: NamedTypes

    /// Reads the type in the text, which stands `depth` levels inside another one.
    ///
    /// - Throws: at the part that is not a type.
    func parse(depth: Int) throws(Failure) -> ValueType { try parse(Substring(text), depth: depth) }

    /// True for a text that is surely meant as a type: a simple type or one with a name, also in brackets or with a
    /// question mark.
    static func isTypeName(_ text: String, or isName: (String) -> Bool) -> Bool {
        var core = Substring(text)
        if core.last == "?" { core.removeLast() }
        while core.first == "[", core.last == "]", core.count > 2 { core = core.dropFirst().dropLast() }
        return simpleNames.contains(String(core)) || isName(String(core))
    }

    private func parse(_ part: Substring, depth: Int) throws(Failure) -> ValueType {
        let part = Self.trimmed(part)
        func fault(_ message: String, help: [String] = []) -> Failure {
            let start = text.utf8.distance(from: text.startIndex, to: part.startIndex)
            let range = start..<start + part.utf8.count
            return .fault(TextFault(ManifestCode.unknownType.code, message, at: range, help: help))
        }
        guard depth < Self.maximumDepth else { throw fault(Self.tooDeep) }
        if part.last == "?" {
            let wrapped = try parse(part.dropLast(), depth: depth + 1)
            guard !wrapped.isOptional else { throw fault("`\(part)` is optional twice") }
            return .optional(wrapped)
        }
        if part.first == "[", part.last == "]" {
            return .list(try parse(part.dropFirst().dropLast(), depth: depth + 1))
        }
        if part.contains("|") {
            let members = part.split(separator: "|", omittingEmptySubsequences: false).map {
                String(Self.trimmed($0))
            }
            for member in members where !Self.isMember(member) {
                throw fault(
                    "`\(member)` cannot be a member of an enumeration",
                    help: ["a member is letters, digits and `_`, a letter first, such as `low | high`"])
            }
            guard Set(members).count == members.count else { throw fault("`\(part)` has a member twice") }
            return .enumeration(EnumerationType(members: members))
        }
        let name = String(part)
        if let type = Self.simple(name) { return type }
        switch named.meaning(of: name, depth: depth) {
        case .type(let type): return type
        case .faulty: throw .consequence
        case .refused(let reason): throw fault(reason)
        case .unknown:
            let known = Self.simpleNames + named.names
            throw fault(
                part.isEmpty ? "a type is missing" : "unknown type `\(part)`",
                help: known.suggestion(for: name).map { [$0] } ?? [
                    "types are \(known.quoted), `[T]`, `T?` and `a | b`",
                    "write records and lists of records without quotes: `{ x = \"f64\" }`, `[{ x = \"f64\" }]`",
                ])
        }
    }

    /// The text about a type that is nested too deeply.
    static let tooDeep = "types nest at most \(maximumDepth) deep"

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
