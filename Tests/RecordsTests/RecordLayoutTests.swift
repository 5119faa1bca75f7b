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

    @Test func layout_ofRandomRecordsWithCases_isTheCompilers() throws {
        var generator = SeededGenerator(seed: 4)
        let records = (0..<300).map { _ in
            RecordType(
                cases: (0..<Int.random(in: 1...5, using: &generator)).map { index in
                    let count = Int.random(in: 0...5, using: &generator)
                    return ("c\(index)", Self.randomFields(count, "c\(index)_", using: &generator))
                },
                shared: Self.randomFields(Int.random(in: 0...4, using: &generator), "s", using: &generator))
        }
        try expectCompilerAgrees(records)
    }

    @Test func recordWithOneEmptyCase_isTagAndOneByte() {
        let record = RecordType(cases: [("only", [])], shared: [])
        #expect(record.size == 8)
        #expect(record.alignment == 4)
        #expect(record.fields.map(\.name) == ["case"])
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
            let names =
                record.fields.map(\.name)
                + record.cases.flatMap { each in each.fields.map { "u.\(each.name).\($0.name)" } }
            for name in names {
                // `case` is a word of C.
                let member = name == "case" ? "tag" : name
                main += "printf(\" %zu\", offsetof(struct r\(index), \(member)));\n"
            }
            main += "puts(\"\");\n"
        }
        let printed = try CCompiler().output(of: source + main + "return 0; }\n")
        let ours = records.map { record in
            let fields = record.fields + record.cases.flatMap(\.fields)
            return ([record.size, record.alignment] + fields.map(\.offset)).map(String.init).joined(
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
        return RecordType(randomFields(count, "f", depth: depth, using: &generator))
    }

    private static func randomFields(
        _ count: Int, _ prefix: String, depth: Int = 2, using generator: inout SeededGenerator
    ) -> [(name: String, type: ValueType)] {
        (0..<count).map { index in
            let nests = depth < 3 && Int.random(in: 0..<4, using: &generator) == 0
            let leaf = leaves.randomElement(using: &generator)!
            let type = nests ? ValueType.record(randomRecord(depth: depth + 1, using: &generator)) : leaf
            return ("\(prefix)\(index)", Bool.random(using: &generator) && nests ? .optional(type) : type)
        }
    }

    private static func members(_ record: RecordType) -> String {
        guard !record.cases.isEmpty else { return members(record.fields) }
        let cases = record.cases.map { each in
            // C has no empty structures: an empty case is one byte.
            "struct \(each.fields.isEmpty ? "{ char none; }" : members(each.fields)) \(each.name);"
        }
        let shared = record.fields.dropFirst().map { declaration($0.type, $0.name) }
        return
            "{ int32_t tag; \(shared.joined(separator: " ")) union { \(cases.joined(separator: " ")) } u; }"
    }

    private static func members(_ fields: [RecordType.Field]) -> String {
        "{ \(fields.map { declaration($0.type, $0.name) }.joined(separator: " ")) }"
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
