import Foundation
import TestSupport
import Testing

/// `spinhost plugin check` of a plugin with instances.
@Suite(.timeLimit(.minutes(10))) struct PluginCheckInstanceTests {
    @Test(arguments: [
        ("FORGETS_NOTHING", nil, ""),
        ("FORGETS_HALF", "saved-state", "restores the 40 bytes of another one saves 40 different bytes"),
        ("TRUSTS_BYTES", "strange-state", "`restore` crashed with SIGSEGV"),
        ("TRUSTS_SCHEMA", "strange-state", "the schema 4294967295, which it cannot know"),
        ("LEAVES_THREAD", "life", "16 threads remain after 16 instances were destroyed"),
        ("FREES_TWICE", "instances", "`destroy` crashed with SIGABRT"),
        ("CRASHES", "life", "`start` crashed with SIGSEGV"),
        ("TRUSTS_SETTINGS", "changed-settings", "`reconfigure` crashed with SIGSEGV"),
        ("TRUSTS_TEXT", "changed-settings", "`reconfigure` crashed with SIGSEGV"),
    ])
    func instances_areMadeStartedAndHandedOver(_ way: String, _ rule: String?, _ message: String) throws {
        let folder = try TemporaryFolder()
        let found = try CheckedPlugin(instances(way, in: folder), ["--call"])
        #expect(found.status == (rule == nil ? 0 : 1))
        if let rule {
            let line = try found.line(rule)
            #expect(line.status == "failed" && line.message.contains(message), "\(line.message)")
        } else {
            let rest = found.lines.filter { $0.status != "passed" }
            #expect(rest.map(\.rule) == ["cancels"])
        }
        // Each does one thing wrong; only what crashes is met by several rules.
        if !message.contains("crashed") { #expect(found.failed == (rule.map { [$0] } ?? [])) }
    }

    @Test func instances_thatDoNotStartByDefault_areAWarning_andTheirEffectsAreSkipped() throws {
        let folder = try TemporaryFolder()
        let found = try CheckedPlugin(instances("REFUSES", in: folder), ["--call"])
        #expect(found.status == 0)
        let line = try found.line("life")
        #expect(line.status == "warning")
        #expect(line.message.contains("with its default settings, `forgets` could not be started"))
        #expect(line.message.contains("there is no device"), "\(line.message)")
        let call = try found.line("calls-return", "first")
        #expect(call.status == "skipped" && call.message.contains("could not be started"), "\(call.message)")
        let unasked = try CheckedPlugin(folder.url("forgets.so").path)
        #expect(try unasked.line("life").message == "the rule starts an instance: add `--call`")
        #expect(try unasked.line("instances").status == "passed")
    }

    /// `Tests/Fixtures/plugins/forgets.c`, as it is with that way to go wrong.
    private func instances(_ way: String, in folder: TemporaryFolder) throws -> String {
        let source = Project.root.appendingPathComponent("Tests/Fixtures/plugins/forgets.c")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        return try CCompiler().sharedObject(
            try String(contentsOf: source, encoding: .utf8), in: folder, as: "forgets.so",
            flags: ["-I\(include)", "-pthread", "-w", "-DSPIN_FORGETS=\(way)"])
    }
}
