import Diagnostics
import Foundation
import Manifest
import Records
import TestSupport
import Testing

/// A manifest in several files.
@Suite struct IncludeTests {
    private let folder: TemporaryFolder
    private static let loop =
        #"{ state = { n = 0 }, events = { go = {} }, on = { go = { set = { n = "state.n + config.step" } } } }"#

    init() throws { folder = try TemporaryFolder(suffix: " [a] *b") }

    private func load(_ manifest: String, _ files: KeyValuePairs<String, String> = [:]) throws
        -> Manifest.Loaded
    {
        for (name, text) in files { try folder.write(name, text) }
        return load(at: try folder.write("app.toml", manifest))
    }

    private func load(at path: String) -> Manifest.Loaded {
        Manifest.load(path: path, standardPlugin: Fixture.standardPlugin)
    }

    /// What a user reads, without the path of the folder.
    private func text(_ loaded: Manifest.Loaded) -> String {
        DiagnosticRenderer().render(loaded.diagnostics, in: "app.toml")
            .replacingOccurrences(of: folder.root.path + "/", with: "")
    }

    private func names(_ paths: [String]) -> [String] {
        paths.map { $0.replacingOccurrences(of: folder.root.path + "/", with: "") }
    }

    @Test func tablesOfAllFiles_makeTheApp_inTheOrderOfTheFiles() throws {
        let loaded = try load(
            """
            include = ["devices/*.toml", "config.toml"]
            loops.first = \(Self.loop)
            """,
            [
                "devices/b.toml": "loops.b = \(Self.loop)\n",
                "devices/a.toml":
                    "loops.a = \(Self.loop)\n[[tests]]\nname = \"it counts\"\nloop = \"a\"\nevents = [{ go = {} }]\nexpect = { n = 2 }\n",
                "devices/notes.txt": "no TOML",
                "config.toml": "include = [\"more.toml\"]\n[config]\nstep = 2\n",
                "more.toml":
                    "loops.last = \(Self.loop)\n[[tests]]\nname = \"it counts\"\nloop = \"last\"\nevents = [{ go = {} }]\nexpect = { n = 2 }\n",
            ])
        #expect(text(loaded) == "")
        let manifest = try #require(loaded.manifest)
        #expect(manifest.loops.map(\.name) == ["first", "a", "b", "last"])
        #expect(manifest.tests.count == 2 && manifest.config.type.fields.map(\.name) == ["step"])
        #expect(
            names(loaded.files) == [
                "app.toml", "devices/a.toml", "devices/b.toml", "config.toml", "more.toml",
            ])
        #expect(names(loaded.folders) == [folder.root.path, "devices"])
        #expect(loaded.outside.isEmpty)
        #expect(names(Manifest.places(of: folder.url("app.toml").path).files) == names(loaded.files))
    }

    @Test func filesOutsideOfTheFolder_areNamed() throws {
        let other = try TemporaryFolder()
        try other.write("linked.toml", "config.step = 1\n")
        try folder.write("shared.toml", "loops.shared = \(Self.loop)\n")
        let path = try folder.write("app/app.toml", "include = [\"../shared.toml\", \"linked.toml\"]\n")
        try FileManager.default.createSymbolicLink(
            at: folder.url("app/linked.toml"), withDestinationURL: other.url("linked.toml"))
        let loaded = load(at: path)
        #expect(loaded.manifest?.loops.map(\.name) == ["shared"], "\(text(loaded))")
        #expect(names(loaded.outside.keys.sorted()) == ["app/../shared.toml", "app/linked.toml"])
        #expect(Manifest.places(of: path).outside == loaded.outside)
        #expect(loaded.outside.values.allSatisfy { !$0.contains("/app/") && !$0.contains("..") })
    }

    @Test func faultsAreShownInTheirFile_afterThoseOfTheManifest() throws {
        let loaded = try load(
            "include = [\"b.toml\"]\nloops.a = { state = { n = 0 }, events = {}, until = \"state.m == 1\" }\n",
            [
                "b.toml":
                    "\n# é\nloops.b = { state = { s = 'é' }, events = {}, until = \"state.s == 'é' + 1\" }\n"
            ])
        #expect(
            text(loaded) == """
                error[E011]: `state` has no field `m`
                 --> app.toml:2:60
                  |
                2 | loops.a = { state = { n = 0 }, events = {}, until = "state.m == 1" }
                  |                                                            ^ it has `n`
                  = help: did you mean `n`?

                error[E013]: `+` does not take string and int
                 --> b.toml:3:67
                  |
                3 | …b = { state = { s = 'é' }, events = {}, until = "state.s == 'é' + 1" }
                  |                                                              ^^^^^^^
                  = help: write `string(1)`

                error: 2 faults in app.toml and the files that it includes

                """)
    }

    @Test func aFileThatIsNotToml_isTheOnlyFault() throws {
        let whole = """
            include = ["part.toml", "tests.toml"]
            [loops.main]
            state  = { at = { type = "point" }, n = 0 }
            events = { go = {} }
            on.go  = { send = { gear = "doors", message = "opened" } }
            """
        let tests = "[[tests]]\nname = 'x'\nloop = 'other'\nevents = []\nexpect = { state = { n = 0 } }\n"
        for part in ["types.point = { x = 1\n", "[loops.other]\nstate = { a = "] {
            let loaded = try load(whole, ["part.toml": part, "tests.toml": tests])
            #expect(loaded.diagnostics.count == 1 && loaded.diagnostics[0].code.rawValue.hasPrefix("T"))
        }
        try FileManager.default.removeItem(at: folder.url("part.toml"))
        let missing = try load(whole, ["tests.toml": tests])
        #expect(missing.diagnostics.map(\.code.rawValue) == ["M001"])
    }

    @Test func whatCannotBeIncluded_isReported() throws {
        try folder.write("devices/a.txt", "")
        try Data([0x61, 0xFF]).write(to: folder.url("bytes.toml"))
        let loaded = try load(
            """
            include = [
                "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
                "bytes.toml", "empty.toml", "word.toml", "zero\\u0000.toml",
            ]
            x-mine = 1
            [loops]
            main = \(Self.loop)
            [config]
            step = 1
            """,
            [
                "a.toml": "include = [\"b.toml\"]\nx-mine = 2\napp.stay = true\n",
                "b.toml": "include = [\"a.toml\", \"b.toml\"]\n",
                "broken.toml": "loops.x = {\n",
                "twice.toml": "loops.main = \(Self.loop)\nconfig = 3\n",
                "empty.toml": "", "word.toml": "include = 3\n",
            ])
        #expect(text(loaded) == Self.faults)
    }

    private static let faults = #"""
        error[M001]: there is no file `none.toml`
         --> app.toml:2:5
          |
        2 |     "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broke…
          |     ^^^^^^^^^^^
          = help: the path counts from the folder of the manifest

        error[M002]: `devices/` is a folder
         --> app.toml:2:18
          |
        2 |     "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twi…
          |                  ^^^^^^^^^^
          = help: name the files in it: `devices/*.toml`

        warning[M124]: no file is called `none/*.toml`
         --> app.toml:2:30
          |
        2 |     "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3,…
          |                              ^^^^^^^^^^^^^
          = help: the path counts from the folder of the manifest

        error[T002]: `./a.toml` is included twice
         --> app.toml:2:55
          |
        2 |     "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
          |                                                       ^^^^^^^^^^
        ...
        2 |     "none.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
          |                                             -------- first included here
          = help: remove this path: each file is read once

        error[M125]: `app.toml` includes itself
         --> app.toml:2:67
          |
        2 | …one.toml", "devices/", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
          |                                                              ^^^^^^^^^^
          = help: remove this path: each file is read once

        error[M009]: `include`: expected a path
         --> app.toml:2:108
          |
        2 | …toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
          |                                                              ^

        error[M009]: `include`: expected a path
         --> app.toml:2:111
          |
        2 | …l", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
          |                                                              ^^

        error[M009]: `include`: expected a path
         --> app.toml:3:46
          |
        3 |     "bytes.toml", "empty.toml", "word.toml", "zero\u0000.toml",
          |                                              ^^^^^^^^^^^^^^^^^

        error[M126]: `app` stands in the manifest itself
         --> a.toml:3:1
          |
        3 | app.stay = true
          | ^^^
          = help: move it there: a file that is included has no say over the app as a whole

        error[M125]: `a.toml` includes this file, directly or through others
         --> b.toml:1:12
          |
        1 | include = ["a.toml", "b.toml"]
          |            ^^^^^^^^
          = help: remove this path: each file is read once

        error[M125]: `b.toml` includes itself
         --> b.toml:1:22
          |
        1 | include = ["a.toml", "b.toml"]
          |                      ^^^^^^^^
          = help: remove this path: each file is read once

        error[T006]: an inline table must end on the line that it starts on
         --> broken.toml:1:12
          |
        1 | loops.x = {
          |            ^
          = help: write it on one line, or as a header with a line for each key

        error[T002]: `loops.main` is defined twice
         --> twice.toml:1:7
          |
        1 | loops.main = { state = { n = 0 }, events = { go = {} }, on = { go = { set = { n = "sta…
          |       ^^^^
         ::: app.toml:7:1
          |
        7 | main = { state = { n = 0 }, events = { go = {} }, on = { go = { set = { n = "sta…
          | ---- first defined here

        error[T002]: `config` is defined twice
         --> twice.toml:2:1
          |
        2 | config = 3
          | ^^^^^^
         ::: app.toml:8:2
          |
        8 | [config]
          |  ------ first defined here

        error[M006]: `bytes.toml` is not UTF-8: byte 0xFF is not valid here
         --> bytes.toml:1:2
          |
        1 | a�
          |  ^
          = help: save the file as UTF-8

        error[M009]: `include`: expected an array of strings
         --> word.toml:1:11
          |
        1 | include = 3
          |           ^

        error: 15 faults in app.toml and the files that it includes
        warning: 1 warning in app.toml and the files that it includes

        """#

    @Test func aPattern_leavesOutFilesThatAreReadAlready() throws {
        let loaded = try load(
            "include = [\"b.toml\", \"*.toml\", \"./?.toml\"]\n[x-notes]\na = 1\n",
            ["a.toml": "loops.a = \(Self.loop)\n[x-notes]\na = 1\n", "b.toml": "config.step = 1\n"])
        #expect(text(loaded) == "")
        #expect(names(loaded.files) == ["app.toml", "b.toml", "a.toml"])
    }

    @Test func manyTables_areMergedInOneLook() throws {
        let constants = { (prefix: String) in (0..<8_000).map { "\(prefix)\($0) = 1\n" }.joined() }
        let loaded = try load(
            "include = [\"a.toml\", \"b.toml\"]\nconfig.step = 1\nloops.a = \(Self.loop)\n",
            ["a.toml": "[config]\n\(constants("a"))", "b.toml": "[config]\n\(constants("b"))"])
        #expect(text(loaded) == "")
        #expect(loaded.manifest?.config.type.fields.count == 16_001)
    }

    @Test func allFilesTogether_haveALimit() throws {
        let half = String(repeating: "#", count: Manifest.maximumSize / 2)
        let loaded = try load("include = [\"a.toml\", \"b.toml\"]\n", ["a.toml": half, "b.toml": half])
        #expect(
            loaded.diagnostics.contains {
                $0.message == "the manifest and the files that it includes are larger than 4 MiB"
                    && $0.place?.span.start == SourcePosition(line: 1, column: 22)
            })
    }

    @Test func soMayTheirNumber() throws {
        for number in 0...3000 { try folder.write("d/\(number).toml", "x-a = 1\n") }
        let loaded = try load("include = [\"d/*\"]\nconfig.step = 1\nloops.a = \(Self.loop)\n")
        #expect(loaded.diagnostics.map(\.message) == ["`include` names more than 1000 files"])
    }
}
