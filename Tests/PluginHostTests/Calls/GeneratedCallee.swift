// Longer than 350 lines, because what is generated and what is expected of it belong together for each type.
import Interfaces
import Records
import TestSupport

/// Functions of random types, in C, which know what they are given and what they give: each compares every argument with
/// what it should be, and writes and returns what the test expects.
struct GeneratedCallee {
    /// One function.
    struct Function {
        let name: String
        var arguments: [Argument] = []
        /// The outcome without `errno`.
        var result: Value?
        var outs: [String: Value] = [:]
        var freesResult = false
    }

    /// What `declares` would say.
    private(set) var declarations = ""
    /// The library's source: the declarations' types, and a body for each function.
    private(set) var source = """
        #include <stdbool.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        static uint64_t wrong;
        uint64_t wrong_arguments(void) { uint64_t found = wrong; wrong = 0; return found; }

        """
    private(set) var functions: [Function] = []

    private var random: SeededGenerator
    private var structures: [[(name: String, kind: Kind)]] = []

    indirect enum Kind: Sendable {
        case integer(String, IntegerType)
        case bool, float, double, enumeration, pointer
        case structure(Int)
        case array(Kind, Int)
    }

    init(seed: UInt64, functions count: Int) {
        random = SeededGenerator(seed: seed)
        declare("enum level { BELOW = -3, MIDDLE = 0, ABOVE = 70000 };\nstruct opaque;\n")
        for index in 0..<24 { addStructure(index) }
        for index in 0..<count { addFunction("f\(index)") }
    }

    private mutating func declare(_ text: String) {
        declarations += text
        source += text
    }

    // MARK: Types

    private static let integers: [Kind] = [
        .integer("char", IntegerType(size: 1, isSigned: CChar.isSigned)!), .integer("signed char", .i8),
        .integer("unsigned char", .u8), .integer("short", .i16), .integer("unsigned short", .u16),
        .integer("int", .i32), .integer("unsigned", .u32), .integer("long", .i64),
        .integer("unsigned long", .u64), .integer("long long", .i64), .integer("uint64_t", .u64),
        .integer("int8_t", .i8), .integer("uint16_t", .u16), .integer("size_t", .u64),
    ]
    private static let scalars = integers + [.bool, .float, .double, .enumeration, .pointer, .float, .double]

    private mutating func scalar() -> Kind { Self.scalars.randomElement(using: &random)! }

    private mutating func addStructure(_ index: Int) {
        var members: [(name: String, kind: Kind)] = []
        for member in 0..<Int.random(in: 1...6, using: &random) {
            var kind = scalar()
            switch Int.random(in: 0..<6, using: &random) {
            case 0: kind = .array(kind, Int.random(in: 1...5, using: &random))
            case 1: if index > 0 { kind = .structure(Int.random(in: 0..<index, using: &random)) }
            case 2:
                if index > 0 {
                    kind = .array(.structure(Int.random(in: 0..<index, using: &random)), 2)
                }
            default: break
            }
            // What goes by value has 64 bytes at most.
            let size = (members.map { Self.size(of: $0.kind, structures) } + [0]).reduce(0, +)
            if size + Self.size(of: kind, structures) > 48 { break }
            members.append(("m\(member)", kind))
        }
        if members.isEmpty { members = [("m0", .double)] }
        structures.append(members)
        let text = members.map { "\(declaration($0.kind, $0.name)); " }.joined()
        declare("struct s\(index) { \(text)};\n")
    }

    /// An upper bound of the size, padding included.
    private static func size(of kind: Kind, _ structures: [[(name: String, kind: Kind)]]) -> Int {
        switch kind {
        case .array(let element, let count): count * size(of: element, structures)
        case .structure(let index):
            structures[index].reduce(0) { $0 + (size(of: $1.kind, structures) + 7) / 8 * 8 }
        default: 8
        }
    }

    private func declaration(_ kind: Kind, _ name: String) -> String {
        switch kind {
        case .integer(let type, _): "\(type) \(name)"
        case .bool: "bool \(name)"
        case .float: "float \(name)"
        case .double: "double \(name)"
        case .enumeration: "enum level \(name)"
        case .pointer: "void *\(name)"
        case .structure(let index): "struct s\(index) \(name)"
        case .array(let element, let count): "\(declaration(element, "\(name)[\(count)]"))"
        }
    }

    // MARK: Values

    private mutating func value(_ kind: Kind) -> Value {
        switch kind {
        case .integer(_, let type):
            let bits =
                Bool.random(using: &random)
                ? random.next() : [0, 1, UInt64.max, 1 << 63, 0x7F, 0x80].randomElement(using: &random)!
            switch type {
            case .i8: return .int(Int64(Int8(truncatingIfNeeded: bits)))
            case .i16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
            case .i32: return .int(Int64(Int32(truncatingIfNeeded: bits)))
            case .i64: return .int(Int64(bitPattern: bits))
            case .u8: return .int(Int64(UInt8(truncatingIfNeeded: bits)))
            case .u16: return .int(Int64(UInt16(truncatingIfNeeded: bits)))
            case .u32: return .int(Int64(UInt32(truncatingIfNeeded: bits)))
            case .u64: return .uint(bits)
            }
        case .bool: return .bool(Bool.random(using: &random))
        case .float:
            return .double(
                Double(
                    [-0.0, .infinity, 0x1p-149, Float.random(in: -1e9...1e9, using: &random)].randomElement(
                        using: &random)!))
        case .double:
            return .double(
                [-0.0, -.infinity, 0x1p-1074, Double.random(in: -1e99...1e99, using: &random)].randomElement(
                    using: &random)!)
        case .enumeration: return .int([-3, 0, 70000].randomElement(using: &random)!)
        case .pointer: return .pointer(UInt(truncatingIfNeeded: random.next()))
        case .structure(let index):
            return .record(structures[index].map { ($0.name, value($0.kind)) })
        case .array(let element, let count): return .list((0..<count).map { _ in value(element) })
        }
    }

    private mutating func text(atMost count: Int) -> String {
        String(
            (0..<Int.random(in: 0...count, using: &random)).map { _ in
                "abc xyz\"\\\n?%0".randomElement(using: &random)!
            })
    }

    private mutating func bytes(atMost count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    // MARK: C

    private func literal(_ value: Value, _ kind: Kind) -> String {
        switch value {
        case .int(Int64.min): "(-9223372036854775807LL - 1)"
        case .int(let number): "\(number)LL"
        case .uint(let number): "\(number)ULL"
        case .bool(let flag): flag ? "true" : "false"
        case .pointer(let address): "(void *)\(address)ULL"
        case .double(let number):
            number == .infinity
                ? "__builtin_inf()" : number == -.infinity ? "-__builtin_inf()" : Self.hexadecimal(number)
        default: preconditionFailure("no scalar")
        }
    }

    private static func hexadecimal(_ number: Double) -> String {
        "__extension__ ({ uint64_t bits = \(number.bitPattern)ULL; double x; memcpy(&x, &bits, 8); x; })"
    }

    /// Statements that compare an expression with a value, scalar by scalar.
    private func comparison(_ expression: String, _ value: Value, _ kind: Kind, bit: Int) -> String {
        switch (kind, value) {
        case (.structure(let index), _):
            return structures[index].map { member in
                comparison("\(expression).\(member.name)", value[member.name]!, member.kind, bit: bit)
            }.joined()
        case (.array(let element, _), .list(let values)):
            return values.enumerated().map { index, value in
                comparison("\(expression)[\(index)]", value, element, bit: bit)
            }.joined()
        case (.float, _), (.double, _):
            let type = if case .float = kind { "float" } else { "double" }
            return
                "{ \(type) a = \(expression), b = \(literal(value, kind)); if (memcmp(&a, &b, sizeof a)) wrong |= 1ULL << \(bit); }\n"
        default: return "if (\(expression) != \(literal(value, kind))) wrong |= 1ULL << \(bit);\n"
        }
    }

    /// Statements that store a value, scalar by scalar.
    private func assignment(_ target: String, _ value: Value, _ kind: Kind) -> String {
        switch (kind, value) {
        case (.structure(let index), _):
            return structures[index].map {
                assignment("\(target).\($0.name)", value[$0.name]!, $0.kind)
            }.joined()
        case (.array(let element, _), .list(let values)):
            return values.enumerated().map { assignment("\(target)[\($0)]", $1, element) }.joined()
        default: return "\(target) = \(literal(value, kind));\n"
        }
    }

    private static func quoted(_ bytes: some Sequence<UInt8>) -> String {
        "\"" + bytes.map { "\\" + String(8 * 8 * 8 + Int($0), radix: 8).dropFirst() }.joined() + "\""
    }

    // MARK: Functions

    private mutating func addFunction(_ name: String) {
        var function = Function(name: name)
        var parameters: [String] = []
        var body = ""
        for index in 0..<Int.random(in: 0...10, using: &random) {
            let (parameter, statements) = addParameter(
                "p\(index)", bit: index, to: &function)
            parameters.append(parameter)
            body += statements
        }
        let (result, end) = addResult(to: &function)
        let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
        let prototype = result(name + "(\(list))")
        declarations += prototype + ";\n"
        source += "\(prototype) {\n\(body)\(end)}\n"
        functions.append(function)
    }

    private mutating func addResult(
        to function: inout Function
    ) -> (declaration: (String) -> String, end: String) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return ({ "void \($0)" }, "")
        case 1:
            let text = Bool.random(using: &random) ? text(atMost: 40) : nil
            function.result = text.map { .string($0) } ?? .null
            return ({ "const char *\($0)" }, "return \(text.map { Self.quoted($0.utf8) } ?? "NULL");\n")
        case 2:
            let text = text(atMost: 40)
            function.result = .string(text)
            function.freesResult = true
            return ({ "char *\($0)" }, "return strdup(\(Self.quoted(text.utf8)));\n")
        case 3, 4:
            let kind = Kind.structure(Int.random(in: 0..<structures.count, using: &random))
            return returning(kind, &function)
        default: return returning(scalar(), &function)
        }
    }

    private mutating func returning(
        _ kind: Kind, _ function: inout Function
    ) -> (declaration: (String) -> String, end: String) {
        let value = value(kind)
        function.result = value
        let (type, statements) = (declaration(kind, ""), assignment("result", value, kind))
        return (
            { "\(type)\($0)" }, "\(declaration(kind, "result"));\n\(statements)return result;\n"
        )
    }

    private mutating func addParameter(
        _ name: String, bit: Int, to function: inout Function
    ) -> (declaration: String, statements: String) {
        let structure = Kind.structure(Int.random(in: 0..<structures.count, using: &random))
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3:
            let kind = scalar()
            let value = value(kind)
            function.arguments.append(.value(value))
            return (declaration(kind, name), comparison(name, value, kind, bit: bit))
        case 4, 5:
            let value = value(structure)
            function.arguments.append(.value(value))
            return (declaration(structure, name), comparison(name, value, structure, bit: bit))
        case 6:
            let value = value(structure)
            function.arguments.append(.value(value))
            return (
                "const \(declaration(structure, "*\(name)"))",
                comparison("(*\(name))", value, structure, bit: bit)
            )
        case 7: return list(name, bit, &function, structure)
        case 8:
            let text = text(atMost: 60)
            function.arguments.append(.value(.string(text)))
            return (
                "const char *\(name)",
                "if (strcmp(\(name), \(Self.quoted(text.utf8)))) wrong |= 1ULL << \(bit);\n"
            )
        case 9:
            let bytes = bytes(atMost: 60)
            function.arguments.append(.value(.bytes(bytes)))
            let type = ["void", "unsigned char", "uint8_t"].randomElement(using: &random)!
            return (
                "const \(type) *\(name)",
                "if (memcmp(\(name), \(Self.quoted(bytes)), \(bytes.count))) wrong |= 1ULL << \(bit);\n"
            )
        case 10:
            let type = [
                "struct opaque *", "void *", "struct s0 *", "char **", "const char *", "const struct s1 *",
                "int *",
            ]
            .randomElement(using: &random)!
            let isNull = type.hasPrefix("const") || type == "int *" || Bool.random(using: &random)
            let address = isNull ? 0 : UInt(truncatingIfNeeded: random.next())
            function.arguments.append(isNull ? .null : .value(.pointer(address)))
            return (
                "\(type)\(name)",
                "if ((const void *)\(name) != (const void *)\(address)ULL) wrong |= 1ULL << \(bit);\n"
            )
        case 11, 12: return out(name, &function, Bool.random(using: &random) ? scalar() : structure)
        case 13: return outBytes(name, &function)
        case 14: return inOut(name, bit, &function, Bool.random(using: &random) ? scalar() : structure)
        default: return inOutText(name, bit, &function)
        }
    }

    private mutating func list(
        _ name: String, _ bit: Int, _ function: inout Function, _ structure: Kind
    ) -> (declaration: String, statements: String) {
        var kind = Bool.random(using: &random) ? structure : scalar()
        // Pointers to these are text, bytes or opaque.
        switch kind {
        case .integer("char", _), .integer(_, .u8), .pointer: kind = .integer("int", .i32)
        default: break
        }
        let values = (0..<Int.random(in: 0...9, using: &random)).map { _ in value(kind) }
        function.arguments.append(.value(.list(values)))
        return (
            "const \(declaration(kind, "\(name)[]"))",
            values.enumerated().map { comparison("\(name)[\($0)]", $1, kind, bit: bit) }.joined()
        )
    }

    /// How a pointer that a function writes through is declared.
    private mutating func pointer(_ kind: Kind, _ name: String, _ count: Int) -> String {
        if case .pointer = kind { return "void **\(name)" }
        return Bool.random(using: &random)
            ? declaration(kind, "*\(name)") : declaration(kind, "\(name)[\(count)]")
    }

    private mutating func out(
        _ name: String, _ function: inout Function, _ kind: Kind
    ) -> (declaration: String, statements: String) {
        let count = Int.random(in: 1...4, using: &random)
        let values = (0..<count).map { _ in value(kind) }
        function.arguments.append(.out(count))
        function.outs[name] = count == 1 ? values[0] : .list(values)
        // The memory is zero when the function begins.
        return (
            pointer(kind, name, count),
            values.enumerated().map { assignment("\(name)[\($0)]", $1, kind) }.joined()
        )
    }

    private mutating func outBytes(
        _ name: String, _ function: inout Function
    ) -> (declaration: String, statements: String) {
        if Bool.random(using: &random) {
            let text = text(atMost: 30)
            function.arguments.append(.out(32, .string))
            function.outs[name] = .string(text)
            return ("char *\(name)", "strcpy(\(name), \(Self.quoted(text.utf8)));\n")
        }
        let bytes = bytes(atMost: 32)
        function.arguments.append(.out(32, .bytes(used: nil)))
        function.outs[name] = .bytes(bytes + [UInt8](repeating: 0, count: 32 - bytes.count))
        let type = ["void", "char", "unsigned char", "int8_t"].randomElement(using: &random)!
        return ("\(type) *\(name)", "memcpy(\(name), \(Self.quoted(bytes)), \(bytes.count));\n")
    }

    private mutating func inOut(
        _ name: String, _ bit: Int, _ function: inout Function, _ kind: Kind
    ) -> (declaration: String, statements: String) {
        let count = Int.random(in: 1...4, using: &random)
        let given = (0..<(count == 1 ? 1 : Int.random(in: 0...count, using: &random))).map { _ in value(kind)
        }
        let written = (0..<count).map { _ in value(kind) }
        function.arguments.append(count == 1 ? .inOut(given[0], 1) : .inOut(.list(given), count))
        function.outs[name] = count == 1 ? written[0] : .list(written)
        return (
            pointer(kind, name, count),
            given.enumerated().map { comparison("\(name)[\($0)]", $1, kind, bit: bit) }.joined()
                + written.enumerated().map { assignment("\(name)[\($0)]", $1, kind) }.joined()
        )
    }

    private mutating func inOutText(
        _ name: String, _ bit: Int, _ function: inout Function
    ) -> (declaration: String, statements: String) {
        if Bool.random(using: &random) {
            let (given, written) = (text(atMost: 31), text(atMost: 31))
            function.arguments.append(.inOut(.string(given), 32, .string))
            function.outs[name] = .string(written)
            return (
                "char *\(name)",
                "if (strcmp(\(name), \(Self.quoted(given.utf8)))) wrong |= 1ULL << \(bit);\n"
                    + "strcpy(\(name), \(Self.quoted(written.utf8)));\n"
            )
        }
        let (given, written) = (bytes(atMost: 32), bytes(atMost: 32))
        function.arguments.append(.inOut(.bytes(given), 32, .bytes(used: nil)))
        function.outs[name] = .bytes(
            written + [UInt8](repeating: 0, count: 32 - written.count))
        return (
            "uint8_t *\(name)",
            "if (memcmp(\(name), \(Self.quoted(given)), \(given.count))) wrong |= 1ULL << \(bit);\n"
                + "memset(\(name), 0, 32); memcpy(\(name), \(Self.quoted(written)), \(written.count));\n"
        )
    }
}
