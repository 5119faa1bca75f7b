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
        return load(try folder.write("app.toml", manifest))
    }

    private func load(_ path: String) -> Manifest.Loaded {
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
                    "loops.a = \(Self.loop)\n[[tests]]\nloop = \"a\"\nevents = [{ go = {} }]\nexpect = { n = 2 }\n",
                "devices/notes.txt": "no TOML",
                "config.toml": "include = \"more.toml\"\n[config]\nstep = 2\n",
                "more.toml":
                    "loops.last = \(Self.loop)\n[[tests]]\nloop = \"last\"\nevents = [{ go = {} }]\n",
            ])
        #expect(text(loaded) == "")
        let manifest = try #require(loaded.manifest)
        #expect(manifest.loops.map(\.name) == ["first", "a", "b", "last"])
        #expect(manifest.tests.count == 2 && manifest.config.type.fields.map(\.name) == ["step"])
        #expect(
            names(loaded.files) == [
                "app.toml", "devices/a.toml", "devices/b.toml", "config.toml", "more.toml",
            ])
        #expect(names(loaded.folders) == ["devices"])
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
        let loaded = load(path)
        #expect(loaded.manifest?.loops.map(\.name) == ["shared"], "\(text(loaded))")
        #expect(names(loaded.outside.keys.sorted()) == ["app/../shared.toml", "app/linked.toml"])
        #expect(loaded.outside.values.allSatisfy { !$0.contains("/app/") && !$0.contains("..") })
    }

    @Test func faultsAreShownInTheirFile_afterThoseOfTheManifest() throws {
        let loaded = try load(
            "include = \"b.toml\"\nloops.a = { state = { n = 0 }, events = {}, until = \"state.m == 1\" }\n",
            [
                "b.toml":
                    "\n# é\nloops.b = { state = { s = 'é' }, events = {}, until = \"state.s == 'é' + 1\" }\n"
            ])
        #expect(
            text(loaded) == """
                error[E011]: `state` has no field `m`
                 --> app.toml:2:62
                  |
                2 | loops.a = { state = { n = 0 }, events = {}, until = "state.m == 1" }
                  |                                                      ^^^^^^^ it has `n`

                error[E012]: `+` is not defined for string and int
                 --> b.toml:3:72
                  |
                3 | loops.b = { state = { s = 'é' }, events = {}, until = "state.s == 'é' + 1" }
                  |                                                                   ^^^^^^^

                error: 2 faults in app.toml and the files that it includes

                """)
    }

    @Test func whatCannotBeIncluded_isReported() throws {
        try folder.write("devices/a.txt", "")
        try Data([0x61, 0xFF]).write(to: folder.url("bytes.toml"))
        let loaded = try load(
            """
            include = [
                "none.toml", "devices", "none/*.toml", "a.toml", "./a.toml", "app.toml", "broken.toml", "twice.toml", 3, "",
                "bytes.toml", "empty.toml",
            ]
            x-mine = 1
            [loops]
            main = \(Self.loop)
            [config]
            step = 1
            """,
            [
                "a.toml": "include = \"b.toml\"\nx-mine = 2\napp.stay = true\n",
                "b.toml": "include = [\"a.toml\", \"b.toml\"]\n",
                "broken.toml": "loops.x = {\n",
                "twice.toml": "loops.main = \(Self.loop)\nconfig = 3\n",
                "empty.toml": "",
            ])
        #expect(text(loaded) == Self.faults)
    }

    private static let faults = ""

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
        for number in 0...1001 { try folder.write("d/\(number).toml", "x-a = 1\n") }
        let loaded = try load("include = \"d/*\"\nconfig.step = 1\nloops.a = \(Self.loop)\n")
        #expect(loaded.diagnostics.map(\.message) == ["`include` names more than 1000 files"])
    }
}
