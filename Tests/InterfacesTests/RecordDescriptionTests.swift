import Foundation
import Interfaces
import Records
import TestSupport
import Testing

/// The structs that a plugin declares in its notes.
struct RecordDescriptionTests {
    private static let header = Project.root.appendingPathComponent("Sources/CPluginABI/include").path

    private func plugin(_ records: [(name: String, members: String)]) throws -> PluginDescription {
        try PluginDescription(
            notes: [PluginNote(.plugin, ["2.0", "p", "1"])]
                + records.map { PluginNote(.record, [$0.name, "struct \($0.name) { \($0.members) }"]) })
    }

    @Test func recordsMayReferToEachOther_inAnyOrder() throws {
        // The names of fields are no references.
        let records: [(name: String, members: String)] = [
            ("track", "spin_list_point point; const spin_optional_line line; spin_string track;"),
            ("line", "point track; point b[2];"), ("point", "double line, y;"),
        ]
        for order in [records, records.reversed()] {
            let plugin = try plugin(order)
            let types = Dictionary(uniqueKeysWithValues: plugin.records.map { ($0.name, $0.type) })
            #expect(
                types["line"]?.description
                    == "{ track = \"{ line = \"f64\", y = \"f64\" }\", b = \"{ line = \"f64\", y = \"f64\" }[2]\" }"
            )
            #expect(types["line"]?.size == 48)
            #expect(types["track"]?.fields.map(\.offset) == [0, 16, 72])
        }
    }

    @Test func records_areLaidOutAsTheCompilerDoes() throws {
        let source = """
            #include <stdbool.h>
            #include <stdio.h>
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("p", "1");
            SPIN_RECORD(inner, (int8_t, a), (bool, b), (spin_optional_int16_t, c), (char, text[5]));
            SPIN_RECORD(outer, (bool, a), (inner, b), (spin_optional_inner, c), (spin_list_inner, d), (float, e),
                        (spin_optional_double, f), (spin_optional_string, g), (void *, h), (spin_list_bool, i));
            int main(void) {
            #define OFFSET(field) (unsigned long)offsetof(outer, field)
                printf("%lu %lu %lu %lu %lu %lu %lu %lu %lu %lu", OFFSET(a), OFFSET(b), OFFSET(c), OFFSET(d), OFFSET(e),
                       OFFSET(f), OFFSET(g), OFFSET(h), OFFSET(i), (unsigned long)sizeof(outer));
            }
            """
        let folder = try TemporaryFolder()
        let library = try CCompiler().sharedObject(
            source, in: folder, as: "plugin.so", flags: ["-I", Self.header])
        let file = try ELFFile(path: library)
        let outer = try #require(
            try PluginDescription.read(from: file)?.records.first { $0.name == "outer" })
        let path = try folder.write("layout.c", source)
        let program = folder.url("layout").path
        #expect(try Shell.run("cc", ["-I", Self.header, "-o", program, path]).errors == "")
        let found = (outer.type.fields.map(\.offset) + [outer.type.size]).map(String.init)
        #expect(try Shell.run(program).output == found.joined(separator: " "))
        #expect(outer.text.hasPrefix("struct outer { "))
    }

    @Test func aStateWithCases_goesByPointerOnly() throws {
        let plugin = try PluginDescription(notes: [
            PluginNote(.plugin, ["2.0", "p", "1"]),
            PluginNote(.loop, ["main", "case a|b 0 4\n@a {} 8 8\n.x f64 0 8\n@b {} 8 1\n"]),
            PluginNote(.effect, ["take", "void take(main_state state)"]),
            PluginNote(.effect, ["make", "main_state make(void)"]),
            PluginNote(.effect, ["read", "void read(const main_state *state)"]),
        ])
        func fault(_ name: String, _ arguments: [CallArgument]) throws -> InterfaceError? {
            let function = try #require(plugin.effect(name)).function
            do { _ = try CallSignature(function, arguments: arguments) } catch { return error }
            return nil
        }
        let taken = try #require(try fault("take", [.input]))
        #expect(
            taken.message
                == "parameter 1 `state` of `take` is `main_state state`, a state with cases by value")
        #expect(taken.help == ["take `const main_state *`"])
        #expect(try fault("make", [])?.message == "`make` returns `main_state`, which has cases")
        #expect(try fault("read", [.input]) == nil)
    }

    @Test func recordsAreBounded_soThatNoCheckOfTheirTypesTakesLong() throws {
        func chain(_ count: Int, _ members: (Int) -> String) -> [(name: String, members: String)] {
            [("r0", "int8_t x;")] + (1..<count).map { ("r\($0)", members($0)) }
        }
        #expect(try plugin(chain(23) { "r\($0 - 1) x;" }).records.count == 23)
        for order in [chain(30) { "spin_list_r\($0 - 1) x;" }, chain(30) { "r\($0 - 1) x;" }.reversed()] {
            let error = #expect(throws: InterfaceError.self) { try plugin(order) }
            #expect(error?.message.contains("the types are nested more than 24 deep") == true)
        }
        // Each has sixteen of the one before, in lists, so that the structs stay small.
        let wide = chain(5) { number in
            (0..<16).map { "spin_list_r\(number - 1) x\($0);" }.joined(separator: " ")
        }
        let error = #expect(throws: InterfaceError.self) { try plugin(wide) }
        #expect(
            error?.message.hasPrefix(
                "plugin `p`, record `r3`: it has 8465 fields with those of its structs, but at most 4096 are supported"
            )
                == true)
        let long = (0..<100_000).map { ("s\($0)", "s\($0 + 1) x;") }
        #expect(throws: InterfaceError.self) { try plugin(long) }
    }
}
