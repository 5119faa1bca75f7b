import Diagnostics
import Foundation
import Manifest
import TestSupport
import Testing

@Suite struct ManifestFileTests {
    private func load(_ path: String) -> [Diagnostic] {
        Manifest.load(path: path, standardPlugin: Fixture.standardPlugin).diagnostics
    }

    private func code(_ path: String) -> DiagnosticCode? {
        let diagnostics = load(path)
        return diagnostics.count == 1 ? diagnostics[0].code : nil
    }

    @Test func missing() throws {
        let folder = try TemporaryFolder()
        #expect(code(folder.url("app.toml").path) == ManifestCode.fileMissing.code)
        #expect(code(try folder.write("a", "") + "/app.toml") == ManifestCode.fileMissing.code)
        #expect(code("") == ManifestCode.fileMissing.code)
    }

    @Test func aFolderOrAPipe() throws {
        let folder = try TemporaryFolder()
        #expect(code(folder.root.path) == ManifestCode.fileNotRegular.code)
        #expect(code("/dev/null") == ManifestCode.fileNotRegular.code)
        let pipe = folder.url("pipe").path
        #expect(try Shell.run("mkfifo", [pipe]).status == 0)
        #expect(code(pipe) == ManifestCode.fileNotRegular.code)
    }

    @Test func unreadable() throws {
        let folder = try TemporaryFolder()
        // Links in a circle: also the superuser cannot read them.
        try FileManager.default.createSymbolicLink(
            atPath: folder.url("a").path, withDestinationPath: folder.url("b").path)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url("b").path, withDestinationPath: folder.url("a").path)
        #expect(code(folder.url("a").path) == ManifestCode.fileUnreadable.code)
    }

    @Test func tooLargeByOneByte() throws {
        let folder = try TemporaryFolder()
        let line = "app.name = \"a\"\n[loops.a]\n"
        let filled = line + "#" + String(repeating: ".", count: (4 << 20) - line.utf8.count - 1)
        #expect(load(try folder.write("full.toml", filled)).isEmpty)
        #expect(code(try folder.write("over.toml", filled + ".")) == ManifestCode.fileTooLarge.code)
    }

    @Test func aByteOrderMarkIsNoCharacter() throws {
        let folder = try TemporaryFolder()
        let diagnostics = load(try folder.write("app.toml", "\u{FEFF}[loops.a]\nstat = {}\n"))
        #expect(diagnostics.map(\.place?.span.start) == [SourcePosition(line: 2, column: 1)])
        let first = load(try folder.write("app.toml", "\u{FEFF}appp = {}\n[loops.a]\n"))
        #expect(first.map(\.place?.span.start) == [SourcePosition(line: 1, column: 1)])
    }

    @Test func anAppWithoutANameIsCalledAsItsFolder() throws {
        let folder = try TemporaryFolder()
        let inner = folder.url("my app")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        try Data("[loops.a]\n".utf8).write(to: inner.appendingPathComponent("app.toml"))
        let path = inner.appendingPathComponent("app.toml").path
        let loaded = Manifest.load(path: path, standardPlugin: Fixture.standardPlugin)
        #expect(loaded.manifest?.name == "my-app")
        #expect(loaded.manifest?.folder == inner.path)
    }
}
