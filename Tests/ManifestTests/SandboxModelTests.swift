import Diagnostics
import Foundation
import Manifest
import TestSupport
import Testing

/// The rules that a manifest has for a plugin in a process of its own: `isolation = "process"` and `sandbox`.
@Suite struct SandboxModelTests {
    private func load(_ text: String) throws -> Manifest.Loaded {
        let folder = try TemporaryFolder()
        let path = try folder.write("app.toml", "\(text)\n[loops.a]\n")
        return Manifest.load(path: path, standardPlugin: Fixture.standardPlugin)
    }

    /// The plugins of a manifest without a fault.
    private func plugins(_ text: String) throws -> [PluginModel] {
        let loaded = try load(text)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        return try #require(loaded.manifest).plugins
    }

    /// The model of a table with one line.
    private func model(_ line: String) throws -> SandboxModel {
        try #require(try plugins(Self.plugin("abs", "[plugins.abs.sandbox]\n\(line)")).first?.sandbox)
    }

    private static func plugin(_ name: String, _ more: String) -> String {
        """
        [plugins.\(name)]
        library   = "libc.so.6"
        declares  = "int abs(int x);"
        isolation = "process"
        \(more)

        """
    }

    @Test func aPluginWithoutATable_isAllowedNothing() throws {
        let plugin = try #require(try plugins(Self.plugin("abs", "")).first)
        let model = try #require(plugin.sandbox)
        #expect(plugin.isolation == .process && plugin.sandboxSpans.isEmpty)
        #expect(plugin.isolationSpan?.start.line == 4 && plugin.isolationSpan?.start.column == 13)
        #expect(model.read.isEmpty && model.write.isEmpty && model.exec.isEmpty)
        #expect(model.ports.isEmpty && !model.connectsToUnixSockets && model.listensAt.isEmpty)
        #expect(model.env.isEmpty)
        #expect(model.memory == nil && model.cpu == nil && model.files == 64 && model.processes == 0)
        #expect(model.cancelGrace == .seconds(2) && model.share == nil && model.enforcement == .strict)
        #expect(
            model.restart.firstBackoff == .milliseconds(100) && model.restart.longestBackoff == .seconds(10))
        #expect(model.restart.limit == 5 && model.restart.within == .seconds(60))
        #expect(model == SandboxModel())
    }

    @Test(arguments: ["inline", "guarded"])
    func otherPlugins_haveNoRules(_ isolation: String) throws {
        let text = Self.plugin("abs", "").replacing("process", with: isolation)
        let plugin = try #require(try plugins(text).first)
        #expect(plugin.isolation == IsolationModel(rawValue: isolation) && plugin.sandbox == nil)
    }

    @Test func everyKey_isDecoded() throws {
        let loaded = try Fixture.shared.get().load("good-sandbox")
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let manifest = try #require(loaded.manifest)
        let folder = manifest.folder
        #expect(manifest.plugins[0].sandbox == SandboxModel(enforcement: .bestEffort))
        #expect(
            manifest.plugins[1].sandbox
                == SandboxModel(
                    read: ["\(folder)/data", "/dev/video0", "\(folder)/maps/../a"],
                    write: ["\(folder)/frames", "\(folder)/data"], exec: ["/usr/bin/env"], ports: [1, 65535],
                    connectsToUnixSockets: true, listensAt: [0, 8080], env: ["LANG": "C.UTF-8", "_x1": ""],
                    memory: 256 << 20,
                    cpu: .seconds(10), files: 16, processes: 2, cancelGrace: .seconds(3), share: "vision_2",
                    restart: SandboxModel.Restart(
                        firstBackoff: .seconds(1), longestBackoff: .seconds(1), limit: 1,
                        within: .seconds(3600)),
                    enforcement: .bestEffort))
        let spans = manifest.plugins[1].sandboxSpans
        #expect(spans["connect"]?.start.line == 20 && spans["connect"]?.start.column == 1)
    }

    @Test func plugins_thatShareAProcess_haveEqualModels_howeverTheTablesAreWritten() throws {
        let plugins = try #require(try Fixture.shared.get().load("good-sandbox").manifest).plugins
        #expect(plugins[1].sandbox == plugins[2].sandbox)
    }

    @Test(arguments: [
        (#""4KiB""#, 4096), (#""4096B""#, 4096), ("4096", 4096), ("1_048_576", 1 << 20),
        (#""2GiB""#, 2 << 30),
        (#""1TiB""#, 1 << 40),
    ])
    func sizesOfMemory(_ text: String, _ size: Int) throws {
        #expect(try model("memory = \(text)").memory == size)
    }

    @Test func severalPlugins_mayHaveOtherRules_withoutAWordOrWithOtherWords() throws {
        let plugins = try plugins(
            Self.plugin("a", "sandbox = { read = [\"a\"] }")
                + Self.plugin("b", "sandbox = { share = \"b\", read = [\"b\"] }")
                + Self.plugin("c", "sandbox = { share = \"c\" }") + Self.plugin("d", ""))
        #expect(plugins.map(\.sandbox?.share) == [nil, "b", "c", nil])
    }

    @Test func aChangedKey_isAnotherModel() throws {
        let lines = [
            "", #"read = ["a"]"#, #"write = ["a"]"#, #"exec = ["a"]"#, #"connect = ["unix"]"#,
            #"connect = ["tcp:1"]"#, #"listen = ["tcp:1"]"#, #"env = { A = "" }"#, #"memory = "1MiB""#,
            #"cpu = "1s""#, "files = 65",
            "processes = 1", #"cancel-grace = "1s""#, #"share = "a""#, "restart = { limit = 4 }",
            #"restart = { within = "1s" }"#, #"restart = { backoff = ["99ms", "10s"] }"#,
            #"restart = { backoff = ["100ms", "11s"] }"#,
        ]
        // Paths begin in a folder of each manifest.
        let models = try lines.map { try model($0) }
        #expect(Set(models).count == lines.count)
    }

    @Test func everyKey_isOneOfThoseThatDiffer() throws {
        let words = try #require(ManifestTable.allCases.first { $0.path == "plugins.*.sandbox" }).fields.map(
            \.name)
        let others = [
            "read": #"["a"]"#, "write": #"["a"]"#, "exec": #"["a"]"#, "connect": #"["unix"]"#,
            "listen": #"["tcp:0"]"#,
            "env": #"{ A = "" }"#, "memory": "4096", "cpu": #""1s""#, "files": "65", "processes": "1",
            "cancel-grace": #""1s""#, "restart": "{ limit = 4 }",
        ]
        for word in words where word != "share" {
            let value = try #require(others[word], "\(word)")
            let text =
                Self.plugin("a", "sandbox = { share = \"w\" }")
                + Self.plugin("b", "sandbox = { share = \"w\", \(word) = \(value) }")
            let loaded = try load(text)
            #expect(
                loaded.diagnostics.map(\.message) == ["`a` and `b` share a process, but differ in `\(word)`"])
        }
    }
}
