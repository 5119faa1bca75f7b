import Records
import Testing
import TestSupport

/// Layouts against what the platform's C compiler says for the same `struct`.
struct RecordLayoutTests {
    @Test func layout_ofEveryPairOfTypes_isTheCompilers() throws {
        let records = Self.leaves.flatMap { first in
            Self.leaves.map { second in RecordType([("a", first), ("b", second), ("c", first)]) }
        }
        try expectCompilerAgrees(records)
    }

    @Test func layout_ofRandomNestedRecords_isTheCompilers() throws {
        var generator = SeededGenerator(seed: 2026)
        let records = (0..<200).map { _ in Self.randomRecord(depth: 0, using: &generator) }
        try expectCompilerAgrees(records)
    }

    @Test func emptyRecord_isOneByte() {
        #expect(RecordType([]).size == 1)
    }

    private func expectCompilerAgrees(_ records: [RecordType]) throws {
        var source = Self.prelude
        var main = "int main(void) {\n"
        for (index, record) in records.enumerated() {
            source += "struct r\(index) \(Self.members(record));\n"
            main += "printf(\"%zu %zu\", sizeof(struct r\(index)), _Alignof(struct r\(index)));\n"
            for field in record.fields {
                main += "printf(\" %zu\", offsetof(struct r\(index), \(field.name)));\n"
            }
            main += "puts(\"\");\n"
        }
        let printed = try CCompiler().output(of: source + main + "return 0; }\n")
        let ours = records.map { record in
            ([record.size, record.alignment] + record.fields.map(\.offset)).map(String.init).joined(
                separator: " ")
        }
        let theirs = printed.split(separator: "\n").map(String.init)
        #expect(ours == theirs)
    }

    private static let prelude = """
        #include <stdbool.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <stdio.h>
        typedef struct { const char *data; size_t size; } spin_string;

        """

    private static let leaves: [ValueType] =
        IntegerType.allCases.map(ValueType.integer) + [
            .bool, .float, .double, .string, .bytes, .duration, .timestamp, .pointer, .list(.integer(.u8)),
            .enumeration(EnumerationType(members: ["on", "off"])), .optional(.integer(.i16)),
            .optional(.double),
            .optional(.optional(.bool)), .array(.integer(.i32), count: 3), .array(.bool, count: 5),
        ]

    private static func randomRecord(depth: Int, using generator: inout SeededGenerator) -> RecordType {
        let count = Int.random(in: 1...6, using: &generator)
        return RecordType(
            (0..<count).map { index in
                let nests = depth < 3 && Int.random(in: 0..<4, using: &generator) == 0
                let leaf = leaves.randomElement(using: &generator)!
                let type = nests ? ValueType.record(randomRecord(depth: depth + 1, using: &generator)) : leaf
                return ("f\(index)", Bool.random(using: &generator) && nests ? .optional(type) : type)
            })
    }

    private static func members(_ record: RecordType) -> String {
        "{ \(record.fields.map { declaration($0.type, $0.name) }.joined(separator: " ")) }"
    }

    private static func declaration(_ type: ValueType, _ name: String) -> String {
        switch type {
        case .bool: "bool \(name);"
        case .integer(let integer): "\(integer.isSigned ? "" : "u")int\(integer.size * 8)_t \(name);"
        case .float: "float \(name);"
        case .double: "double \(name);"
        case .string, .bytes, .list: "spin_string \(name);"
        case .duration, .timestamp: "int64_t \(name);"
        case .enumeration: "int32_t \(name);"
        case .array(let element, let count): declaration(element, "\(name)[\(count)]")
        case .record(let record): "struct \(members(record)) \(name);"
        case .optional(let wrapped): "struct { bool has; \(declaration(wrapped, "value")) } \(name);"
        case .pointer: "void *\(name);"
        }
    }
}
