import Diagnostics
import Records

// The words in front of a declarator, and the type that they name.
extension CParser {
    /// The qualifiers of a type.
    enum Qualifier {
        case const
        /// `_Nullable`, clang's word for a pointer that may be null.
        case nullable
        /// `volatile`, `restrict` and `_Nonnull`, which change nothing for a caller.
        case other

        init?(_ word: String) {
            switch word {
            case "const", "__const", "__const__": self = .const
            case "_Nullable": self = .nullable
            case "volatile", "__volatile", "__volatile__", "restrict", "__restrict", "__restrict__",
                "_Nonnull":
                self = .other
            default: return nil
            }
        }
    }

    /// The specifiers in front of a declarator.
    struct Specifiers {
        var type: CType
        var isConst = false
        var isTypedef = false
        /// True for `struct` and `enum`, which may declare a tag without a declarator.
        var declaresTag = false
    }

    private static let storageWords: Set<String> = [
        "extern", "static", "inline", "__inline", "__inline__", "register", "auto", "_Noreturn",
        "__extension__",
    ]
    private static let typeWords: Set<String> = [
        "void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool", "_Bool",
        "__signed__",
    ]
    private static let unsupportedWords: Set<String> = [
        "_Complex", "_Imaginary", "_Atomic", "__int128", "__int128_t", "__uint128_t", "__float128",
        "_Float16",
        "_Float128", "_Decimal32", "_Decimal64", "_Decimal128", "_BitInt",
    ]

    /// Storage, qualifiers and the type, in any order as C allows it.
    mutating func specifiers() throws(Failure) -> Specifiers {
        var result = Specifiers(type: .void)
        var type: CType?
        var words: [String] = []
        let start = position
        reading: while current.kind == .word {
            let word = current.text
            if let qualifier = Qualifier(word) {
                result.isConst = result.isConst || qualifier == .const
                advance()
            } else if Self.storageWords.contains(word) {
                advance()
            } else if word == "typedef" {
                result.isTypedef = true
                advance()
            } else if Self.typeWords.contains(word) {
                guard type == nil else { break reading }
                words.append(word)
                advance()
            } else if Self.unsupportedWords.contains(word) {
                throw fault(
                    .unsupportedType, "the type `\(word)` is not supported",
                    help: ["wrap the function in C and pass integers, `float` or `double`"])
            } else if word == "union" {
                guard !poisoned.contains(next.text) else { throw .consequence }
                throw fault(
                    .unionType, "unions are not supported: the host cannot know which member is valid",
                    help: ["declare the member that you need as a struct, padded to the union's size"])
            } else if isExtension {
                throw refusedExtension()
            } else if type == nil, words.isEmpty {
                switch word {
                case "struct":
                    type = try structure()
                    result.declaresTag = true
                case "enum":
                    type = try enumeration()
                    result.declaresTag = true
                default:
                    type = try typedefName()
                }
            } else {
                break
            }
        }
        if !words.isEmpty {
            result.type = try arithmetic(words, at: tokens[start].range.lowerBound..<end)
        } else if let type {
            result.type = type
        } else {
            throw expected("a type")
        }
        return result
    }

    private mutating func typedefName() throws(Failure) -> CType {
        let name = current.text
        if let type = typedefs[name] {
            advance()
            return completed(type)
        }
        guard !poisoned.contains(name) else { throw .consequence }
        if next.kind == .punctuation, next.text == "(" {
            throw expected(
                "the type of the result", help: ["write it in front of the name; `void` for no result"])
        }
        var help: [String] = []
        if tags[name] != nil {
            let isStructure = if case .structure = tags[name] { true } else { false }
            help = ["write `\(isStructure ? "struct" : "enum") \(name)`"]
        } else if let near = Suggestion.closest(
            to: name, among: typedefs.keys.sorted() + Self.typeWords.sorted() + ["struct", "enum", "const"])
        {
            help = ["did you mean `\(near)`?"]
        } else {
            help = ["declare it first, or write the type that it stands for"]
        }
        throw fault(.unknownType, "unknown type `\(name)`", help: help)
    }

    /// The type of words such as `unsigned long long int`, in any order.
    private func arithmetic(_ words: [String], at range: Range<Int>) throws(Failure) -> CType {
        var rest: [String: Int] = [:]
        for word in words {
            rest[word == "_Bool" ? "bool" : word == "__signed__" ? "signed" : word, default: 0] += 1
        }
        let isUnsigned = rest["unsigned"] == 1
        switch rest {
        case ["void": 1]: return .void
        case ["bool": 1]: return .bool
        case ["float": 1]: return .float
        case ["double": 1]: return .double
        case ["char": 1]: return .character
        case ["char": 1, "signed": 1]: return .integer(.i8)
        case ["char": 1, "unsigned": 1]: return .integer(.u8)
        case ["long": 1, "double": 1]:
            throw fault(
                .unsupportedType, "`long double` is not supported: no field has its width",
                at: range, help: ["use a function that takes `double`"])
        default: break
        }
        let (shorts, longs) = (rest["short"] ?? 0, rest["long"] ?? 0)
        let signs = (rest["signed"] ?? 0) + (rest["unsigned"] ?? 0)
        let isInteger = rest.keys.allSatisfy { ["short", "long", "int", "signed", "unsigned"].contains($0) }
        guard isInteger, signs <= 1, rest["int"] ?? 0 <= 1, shorts == 0 || longs == 0, shorts <= 1, longs <= 2
        else {
            throw fault(
                .invalidTypeWords, "`\(words.joined(separator: " "))` is not a C type", at: range,
                help: ["a type has at most one sign and one width, for example `unsigned long`"])
        }
        let size =
            shorts == 1
            ? MemoryLayout<CShort>.size
            : [MemoryLayout<CInt>.size, MemoryLayout<CLong>.size, MemoryLayout<CLongLong>.size][longs]
        guard let integer = IntegerType(size: size, isSigned: !isUnsigned) else {
            preconditionFailure("C integers have 1, 2, 4 or 8 bytes")
        }
        return .integer(integer)
    }

    // MARK: Limits

    /// The type, if its nesting and size are within the limits.
    func limited(_ type: CType, at range: Range<Int>) throws(Failure) -> CType {
        guard type.depth <= Limit.nesting else {
            throw fault(
                .declarationLimit, "the types are nested more than \(Limit.nesting) deep", at: range)
        }
        // Each part has at most `structureSize` bytes, so the size does not overflow.
        guard type.size ?? 0 <= Limit.structureSize else {
            throw fault(
                .declarationLimit,
                "`\(type)` has \(type.size ?? 0) bytes, but at most \(Limit.structureSize) are supported",
                at: range, help: ["pass memory of this size by pointer"])
        }
        return type
    }

    /// Runs `body` one level deeper.
    mutating func nested<Result>(
        _ body: (inout CParser) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard nesting < Limit.nesting else {
            throw fault(.declarationLimit, "the declarations are nested more than \(Limit.nesting) deep")
        }
        nesting += 1
        defer { nesting -= 1 }
        return try body(&self)
    }

    /// Refuses a type without a size. `subject` is the beginning of the message.
    func requireSize(of type: CType, _ subject: String, at range: Range<Int>) throws(Failure) {
        var innermost = type
        while case .array(let element, _) = innermost { innermost = element }
        switch innermost {
        case .void:
            throw fault(.incompleteType, "\(subject) `void`, which has no value", at: range)
        case .incomplete(let name):
            guard !poisoned.contains(name) else { throw .consequence }
            throw fault(
                .incompleteType, "\(subject) `struct \(name)`, whose members are not declared", at: range,
                help: ["declare it first, or use a pointer"])
        case .function:
            throw fault(
                .functionPointer, "\(subject) a function, which has no value", at: range,
                help: ["use a pointer to it"])
        default: break
        }
    }
}
