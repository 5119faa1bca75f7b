import Foundation
import TestSupport
import Testing

/// A project of `spinhost plugin new` whose plugin is swapped while its app runs.
@Suite(.timeLimit(.minutes(10))) struct PluginNewSwapTests {
    @Test(
        arguments: [("c", "plugin.c"), ("c++", "plugin.cpp"), ("swift", "plugin.swift")]
            + (LanguageTests.hasRust ? [("rust", "plugin.rs")] : []))
    func aVersionThatIsBuiltMeanwhile_isUsed(_ language: String, _ source: String) throws {
        try swap(language, source)
    }

    @Test(.enabled(if: ZigCompiler.program != nil, ZigCompiler.isMissing))
    func aVersionInZig_thatIsBuiltMeanwhile_isUsed() throws {
        try swap("zig", "plugin.zig", environment: ZigCompiler.environment)
    }

    private func swap(_ language: String, _ source: String, environment: [String: String] = [:]) throws {
        let folder = try TemporaryFolder()
        let made = try Spinhost.run(
            "plugin", "new", "words", "--language", language, "--directory", folder.root.path)
        try #require(made.status == 0, "\(made.errors)")
        try change("app.toml", in: folder) { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("until") }
                .joined(separator: "\n")
        }
        try build(folder, environment)
        let host = try ControlledHost(in: folder, ["--json"])
        _ = host.program.nextLine(with: #""words":3"#)
        try change(source, in: folder) { $0.replacing("\"0.1.0\"", with: "\"0.2.0\"") }
        try build(folder, environment)
        let swapped = try host.spinhost("swap", "words")
        #expect(swapped.output == "swapped 0.1.0 → 0.2.0\n", "\(swapped.errors)")
        #expect(host.end().status == 0)
    }

    private func change(_ name: String, in folder: TemporaryFolder, _ edit: (String) -> String) throws {
        let text = try String(contentsOf: folder.url(name), encoding: .utf8)
        try folder.write(name, edit(text))
    }

    private func build(_ folder: TemporaryFolder, _ environment: [String: String]) throws {
        let built = try Shell.run(
            "bash", ["-c", "cmake --preset default && cmake --build build --target words"], in: folder.root,
            environment: environment)
        try #require(built.status == 0, "\(built.output)\(built.errors)")
    }
}
