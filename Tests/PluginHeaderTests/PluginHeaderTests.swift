import Foundation
import Interfaces
import Manifest
import PluginHeader
import Records
import TestSupport
import Testing

/// What `spinhost header` writes.
struct PluginHeaderTests {
    /// `SPIN_REGENERATE=1 script/test --filter PluginHeaderTests` writes the file anew.
    @Test func headerOfEverything_isTheExpectedOne_eachTime() throws {
        let path = HeaderFixture.folder.appendingPathComponent("everything.toml").path
        let text = PluginHeader.text(of: try HeaderFixture.manifest(path))
        let expectation = HeaderFixture.folder.appendingPathComponent("everything.expected")
        if Project.isRegenerating { try Data(text.utf8).write(to: expectation) }
        #expect(try text == String(contentsOf: expectation, encoding: .utf8))
        #expect(try PluginHeader.text(of: HeaderFixture.manifest(path)) == text)
    }

    @Test(arguments: HeaderFixture.compilers)
    func header_compilesAlone_withoutAWarning(_ compiler: [String]) throws {
        let folder = try TemporaryFolder()
        // Twice, and in a second file of the same library.
        let name = HeaderFixture.folder.appendingPathComponent("everything.expected").path
        for file in ["a.c", "b.c"] {
            try folder.write(file, "#include \"\(name)\"\n#include \"\(name)\"\n")
        }
        try folder.write("c.c", "#include <spinhost/plugin.h>\nSPIN_PLUGIN(\"every\", \"1.0.0\");\n")
        for more in [["-O0"], ["-O2", "-fvisibility=hidden"]] {
            let compiled = try Shell.run(
                compiler[0],
                Array(compiler.dropFirst()) + HeaderFixture.flags + more
                    + ["-shared", "-fPIC", "-Wl,-z,defs", "-o", "every.so", "a.c", "b.c", "c.c"],
                in: folder.root)
            #expect(compiled.errors == "")
            let path = HeaderFixture.folder.appendingPathComponent("everything.toml").path
            let layouts = try HeaderFixture.manifest(path).loops.map(\.layout)
            let read = try PluginDescription.read(from: try ELFFile(path: folder.url("every.so").path))
            let plugin = try #require(read)
            #expect(Set(plugin.loops) == Set(layouts))
            for layout in layouts { try plugin.check(layout) }
        }
    }

    @Test(arguments: HeaderFixture.compilers)
    func structsOfRandomManifests_areLaidOutAsTheRecordsAre(_ compiler: [String]) throws {
        let folder = try TemporaryFolder()
        var random = RandomManifest(seed: 20)
        let manifest = try HeaderFixture.manifest(folder.write("app.toml", random.text(loops: 60)))
        try folder.write("app.h", PluginHeader.text(of: manifest))
        var expected: [String] = []
        var prints = ""
        func expect(_ expression: String, _ number: Int) {
            prints += "    printf(\"%zu\\n\", (size_t)(\(expression)));\n"
            expected.append("\(number)")
        }
        for loop in manifest.loops {
            let layout = loop.layout
            for (name, type) in [(layout.stateName, layout.state)]
                + layout.events.filter({ !$0.type.fields.isEmpty }).map({ (layout.payloadName($0), $0.type) })
            {
                expect("sizeof(\(name))", type.size)
                for field in type.fields {
                    expect("offsetof(\(name), \(field.name))", field.offset)
                    expect("sizeof((static_cast_(\(name)))->\(field.name))", field.type.size)
                }
            }
            expect("sizeof(\(layout.eventName))", layout.eventSize)
        }
        let cast = compiler[0].hasSuffix("++") ? "static_cast<const type *>(nullptr)" : "(const type *)0"
        try folder.write(
            "layout.c",
            "#include \"app.h\"\n#include <stdio.h>\n#define static_cast_(type) \(cast)\nint main(void) {\n\(prints)    return 0;\n}\n"
        )
        let compiled = try Shell.run(
            compiler[0], Array(compiler.dropFirst()) + HeaderFixture.flags + ["-o", "layout", "layout.c"],
            in: folder.root)
        #expect(compiled.errors == "")
        let printed = try Shell.run(folder.url("layout").path)
        #expect(printed.output == expected.joined(separator: "\n") + "\n")
        #expect(expected.count > 500)
    }
}

/// Manifests of many loops with any types.
private struct RandomManifest {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text(loops: Int) -> String {
        var text = "app.name = \"random\"\n"
        for loop in 0..<loops {
            text += "[loops.l\(loop)]\nevents = {\(events())}\n[loops.l\(loop).state]\n"
            for field in 0..<Int.random(in: 0...6, using: &random) {
                text += "f\(field) = { type = \(type(depth: 0)) }\n"
            }
        }
        return text
    }

    private mutating func events() -> String {
        (0..<Int.random(in: 0...4, using: &random)).map { "e\($0) = \(record(depth: 0))" }.joined(
            separator: ", ")
    }

    private mutating func record(depth: Int) -> String {
        let fields = (0..<Int.random(in: 0...4, using: &random)).map { "f\($0) = \(type(depth: depth + 1))" }
        return "{ \(fields.joined(separator: ", ")) }"
    }

    private mutating func type(depth: Int) -> String {
        let scalars = [
            "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "string", "bytes",
            "duration", "timestamp", "pointer", "a | b | c", "[u8]", "[string?]", "[[f32]]", "u16?",
            "string?",
            "[i64]?", "f64?", "[[bool]?]?",
        ]
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where depth < 3: return record(depth: depth + 1)
        case 1 where depth < 3: return "[\(type(depth: depth + 1))]"
        default: return "\"\(scalars.randomElement(using: &random)!)\""
        }
    }
}
