import Foundation
import Manifest
import Records
import TestSupport
import Testing

/// The schema as PyPI's `jsonschema` understands it.
@Suite struct ManifestSchemaTests {
    /// What the validator says of each file.
    private func verdicts(_ files: [String]) throws -> [String: String] {
        let folder = try TemporaryFolder()
        let schema = try folder.write("schema.json", ManifestSchema.document.json)
        let script = Project.root.appendingPathComponent("Tests/Fixtures/schema/validate.py").path
        // The system's own: `jsonschema` is a Debian package.
        let outcome = try Shell.run("/usr/bin/python3", [script, schema] + files)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var verdicts: [String: String] = [:]
        for line in outcome.output.split(separator: "\n") {
            guard let colon = line.firstRange(of: ": ") else { continue }
            verdicts[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        #expect(verdicts.count == files.count)
        return verdicts
    }

    @Test func manifestsWithoutErrors_areValid() throws {
        let folder = try TemporaryFolder()
        var files: [String] = []
        let examples = Project.root.appendingPathComponent("examples")
        for name in try FileManager.default.contentsOfDirectory(atPath: examples.path) {
            let file = examples.appendingPathComponent("\(name)/app.toml").path
            if FileManager.default.fileExists(atPath: file) { files.append(file) }
        }
        #expect(files.count >= 2)
        let blocks = try CodeBlock.all(in: "README.md").filter { $0.file == "app.toml" }
        for (index, block) in blocks.enumerated() {
            files.append(try folder.write("readme-\(index).toml", block.text))
        }
        // A file that another one includes has no loops of its own.
        let included = "include = ['more.toml']\n[types]\npoint = { x = 'f64' }\n"
        files.append(try folder.write("included.toml", included))
        let fixture = try Fixture.shared.get()
        for name in Fixture.names where fixture.load(name).manifest != nil {
            files.append(Fixture.source(name).path)
        }
        for (file, verdict) in try verdicts(files) { #expect(verdict == "valid", "\(file)") }
    }

    @Test(arguments: ["unknown-keys", "wrong-types", "missing-keys"])
    func manifestsOfAnotherShape_areRefused(name: String) throws {
        let file = Fixture.source(name).path
        let verdict = try verdicts([file])[file]
        #expect(verdict != "valid" && verdict != "no TOML")
    }

    @Test func everyKey_isKnown_andRefusedMisspelt_orWithANumber() throws {
        let folder = try TemporaryFolder()
        var expected: [String: Bool] = [:]
        var count = 0
        func document(_ keys: [(String, Value)], in table: ManifestTable, isValid: Bool) throws {
            count += 1
            let document = self.document(keys, in: table).json
            expected[try folder.write("\(count).json", document)] = isValid
        }
        for table in ManifestTable.allCases {
            let needed =
                table.fields.filter(\.isRequired).map { ($0.name, least($0)) }
                .filter { $0.0 != "loops" } + table.markers.prefix(1).map { ($0, marker(of: $0)) }
            try document(needed, in: table, isValid: true)
            try document(needed + [("x-mine", .double(1.5))], in: table, isValid: true)
            try document(needed + [("No name", .string("x"))], in: table, isValid: false)
            for field in table.fields {
                if table.named == nil {
                    try document(needed + [("\(field.name)x", .string("x"))], in: table, isValid: false)
                }
                // Every text may be a number's, no number is one of them.
                guard field.form.words != "a value" else { continue }
                let others = needed.filter { $0.0 != field.name }
                try document(others + [(field.name, .double(1.5))], in: table, isValid: false)
            }
        }
        let verdicts = try verdicts(Array(expected.keys))
        for (file, isValid) in expected {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect((verdicts[file] == "valid") == isValid, "\(text): \(verdicts[file] ?? "")")
        }
    }

    /// A value of the field's form.
    private func least(_ field: ManifestField) -> Value {
        switch field.form.words {
        case "a table": .map([])
        case "an integer": .int(1)
        default: .string("x")
        }
    }

    private func marker(of key: String) -> Value { key == "out" ? .int(1) : .string("int") }

    /// A manifest with nothing but these keys in a table, and what must be around it.
    private func document(_ keys: [(String, Value)], in table: ManifestTable) -> Value {
        var value = Value.record(keys)
        var path = table.path.split(separator: ".").map(String.init)
        while let step = path.popLast() {
            let outer = ManifestTable.allCases.first { $0.path == path.joined(separator: ".") }
            var fields: [(String, Value)] = []
            if step == "*", outer == nil {
                value = .list([value])
                continue
            }
            for field in outer?.fields ?? [] where field.isRequired && field.name != step && !path.isEmpty {
                fields.append((field.name, least(field)))
            }
            fields.append((step == "*" ? "name" : step, value))
            value = .record(fields)
        }
        if value["loops"] == nil, case .map(let entries) = value {
            value = .map(entries + [Value.MapEntry(key: .string("loops"), value: .map([]))])
        }
        return value
    }

    @Test func descriptionsAndDefaults_areThoseOfTheFieldTable() throws {
        let document = ManifestSchema.document
        let app = document["$defs"]?["app"]?["properties"]
        #expect(app?["on-fault"]?["enum"] == .list([.string("continue"), .string("stop")]))
        #expect(app?["on-fault"]?["default"] == .string("continue"))
        #expect(app?["name"]?["description"] != nil)
        let feedback = document["$defs"]?["loops.NAME.feedback.NAME"]?["properties"]
        #expect(feedback?["disabled"]?["default"] == .bool(false))
        for table in ManifestTable.allCases {
            let name = table.path.split(separator: ".").map { $0 == "*" ? "NAME" : String($0) }
                .joined(separator: ".")
            let properties = (table.path.isEmpty ? document : document["$defs"]?[name])?["properties"]
            for field in table.fields {
                guard case .string(let text)? = properties?[field.name]?["description"] else {
                    Issue.record("\(table.path) \(field.name)")
                    continue
                }
                #expect(text.hasPrefix(field.doc), "\(table.path) \(field.name)")
            }
        }
    }
}
