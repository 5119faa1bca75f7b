import Foundation
import TestSupport
import Testing

/// `spinhost swap`, with a host that listens.
@Suite(.timeLimit(.minutes(10))) struct SwapCommandTests {
    private static let manifest = """
        app.name = "door"

        [plugins.numbers]
        library = "./lib.so"

        [loops.main]
        state  = { answer = 0 }
        events = { asked = {}, answered = { answer = "int" } }
        on.answered = { set = { answer = "event.answer" } }

        [loops.main.feedback.ask]
        effect  = "numbers:number"
        on      = "asked"
        emit    = { event = "answered", answer = "result" }

        """

    /// A host whose plugin answers 1, or the value of `answer`, as its first version.
    private func host(_ manifest: String = Self.manifest, answer: String? = nil) throws -> ControlledHost {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        try NumbersApp.compile(1, in: folder, answer: answer)
        let host = try ControlledHost(in: folder, ["--json"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        return host
    }

    @Test func aLibraryThatHasChanged_isUsedFromThenOn() throws {
        let host = try host()
        #expect(try host.spinhost("swap", "numbers").output == "unchanged 1.0\n")
        try NumbersApp.compile(2, in: host.folder)
        let swapped = try host.spinhost("swap", "numbers", "--app", "door")
        #expect(swapped.output == "swapped 1.0 → 2.0\n" && swapped.errors == "" && swapped.status == 0)
        #expect(host.program.nextLine().hasPrefix(#"{"swap":{"plugin":"numbers","outcome":"swapped""#))
        _ = try host.spinhost("send", "asked")
        #expect(host.program.nextLine().contains(#""event":"asked""#))
        #expect(host.program.nextLine().contains(#""state":{"answer":2}"#))
        try NumbersApp.compile(3, in: host.folder)
        let json = try host.spinhost("swap", "numbers", "--json")
        #expect(
            json.output.hasPrefix(
                #"{"ok":true,"swap":{"plugin":"numbers","outcome":"swapped","from":"2.0","to":"3.0","hash":""#
            ))
        #expect(host.end().status == 0)
    }

    @Test func aVersionThatCrashes_isRolledBack_andRefusedFromThenOn() throws {
        let host = try host(
            Self.manifest.replacing("library = ", with: "isolation = \"guarded\"\nlibrary = "))
        let watch = try host.start("state", "--watch")
        #expect(watch.nextLine() == #"{"loop":"main","step":0,"state":{"answer":0}}"#)
        try NumbersApp.compile(2, in: host.folder, answer: "*(volatile int32_t *)8")
        // Otherwise nothing is rolled back.
        try #require(try host.spinhost("swap", "numbers").output == "swapped 1.0 → 2.0\n")
        #expect(host.program.nextLine().contains(#""outcome":"swapped""#))
        _ = try host.spinhost("send", "asked")
        let line = host.program.nextLine(with: #"{"swap""#)
        #expect(
            line.hasPrefix(
                #"{"swap":{"plugin":"numbers","outcome":"rolled back","from":"1.0","to":"2.0","hash":""#))
        #expect(line.contains("effect `number` crashed with SIGSEGV"))
        // Who watches is told the same.
        #expect(watch.nextLine().hasPrefix(#"{"swap":{"plugin":"numbers","outcome":"swapped""#))
        let told = Set([watch.nextLine(), watch.nextLine()])
        #expect(told == [#"{"loop":"main","step":1,"state":{"answer":0}}"#, line])
        let refused = try host.spinhost("swap", "numbers")
        #expect(refused.output == "refused 1.0\n" && refused.status == 1)
        #expect(refused.errors.hasPrefix("error: this library was rolled back: effect `number` crashed"))
        _ = try host.spinhost("send", "asked")
        try #require(host.program.nextLine(with: #""state":{"answer":1}"#) != "")
        #expect(host.end().status == 0)
    }

    @Test func aPluginInQuarantine_isLoadedAgainByReload_notByASwapOfTheSameFile() throws {
        let host = try host(
            Self.manifest.replacing("library = ", with: "isolation = \"guarded\"\nlibrary = ")
                + "on-error = { event = \"answered\", answer = \"-1\" }\n",
            answer: "*(volatile int32_t *)8")
        let client = try LineClient(version2At: host.socket)
        func plugins() -> String { client.ask(#"{"request":"plugins"}"#) ?? "" }
        #expect(plugins().contains(#""standing":"trusted""#) && !plugins().contains("reason"))
        _ = try host.spinhost("send", "asked")
        try #require(host.program.nextLine(with: #""state":{"answer":-1}"#) != "")
        let quarantined =
            #""standing":"quarantined","reason":"effect `number` crashed with SIGSEGV at address 0x8""#
        #expect(plugins().contains(quarantined), "\(plugins())")
        #expect(try host.spinhost("swap", "numbers").output == "unchanged 1.0\n")
        #expect(plugins().contains(quarantined))
        #expect(try host.spinhost("reload").output == "reloaded\n")
        #expect(plugins().contains(#""standing":"trusted""#) && !plugins().contains("reason"))
        #expect(host.end().status == 0)
    }

    @Test func whatDoesNotFit_isRefused_withTheReason() throws {
        let host = try host()
        try NumbersApp.compile(2, in: host.folder, type: "int64_t")
        let refused = try host.spinhost("swap", "numbers")
        #expect(refused.output == "refused 1.0 → 2.0\n" && refused.status == 1)
        #expect(
            refused.errors.hasPrefix(
                "error: its effect `number` is `int64_t number(void)`, not `int32_t number(void)`\n"),
            "\(refused.errors)")
        let unknown = try host.spinhost("swap", "number")
        #expect(unknown.output == "refused\n" && unknown.status == 1)
        #expect(
            unknown.errors == """
                error: the manifest has no plugin `number`
                  = help: did you mean `numbers`?

                """)
    }

    @Test func swapsThatFail_areCountedApartFromThoseThatAreRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        try NumbersApp.compile(1, in: folder)
        let host = try ControlledHost(in: folder)
        try #require(host.program.waitForErrors("listening at "))
        try FileManager.default.removeItem(at: folder.url("lib.so"))
        for _ in 0..<2 {
            #expect(try host.spinhost("swap", "numbers").output == "failed 1.0\n")
        }
        #expect(try host.spinhost("swap", "number").output == "refused\n")
        let (status, errors) = host.end()
        #expect(status == 0)
        #expect(errors.contains(" 0 faults, 0 swaps (1 refused, 2 failed) in "), "\(errors)")
    }

    @Test func withoutAHost_theMessageSaysHowToStartOne() throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.run(
            Project.spinhost, ["swap", "numbers"], in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path])
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("start it with `spinhost run --control`"))
    }
}
