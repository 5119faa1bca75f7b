import Foundation
import TestSupport
import Testing

/// A running app that reads its manifest again, for SIGHUP and for `spinhost reload`.
@Suite(.timeLimit(.minutes(10))) struct ReloadTests {
    /// The door, whose `pushed` counts in other steps.
    private static let changed = ControlledHost.door.replacing(
        "state.times + event.times", with: "state.times + event.times * 100")

    @Test func `reload continues with the changed manifest`() throws {
        let host = try ControlledHost()
        #expect(try host.spinhost("send", "pushed", "by=Ada", "times=3").output == "queued\n")
        try host.folder.write("app.toml", Self.changed)
        let reloaded = try host.spinhost("reload")
        #expect(reloaded.output == "reloaded\n" && reloaded.errors == "" && reloaded.status == 0)
        #expect(host.program.nextLine() == "the manifest has changed: the app continues with it")
        _ = try host.spinhost("send", "pushed", "by=Ada", "times=2")
        var state = ""
        try blockUntil {
            state = try host.spinhost("state").output
            return state.contains(#""step":2"#)
        }
        #expect(state.contains(#""times":203"#))
        #expect(host.end().status == 0)
    }

    @Test func `a manifest with faults is refused, and nothing changes`() throws {
        let host = try ControlledHost()
        try host.folder.write("app.toml", ControlledHost.door.replacing("state.times", with: "state.tmes"))
        let refused = try host.spinhost("reload", "--app", "door")
        #expect(refused.output == "refused\n" && refused.status == 1)
        #expect(refused.errors.contains("tmes"))
        let json = try host.spinhost("reload", "--json")
        #expect(json.status == 1)
        #expect(
            json.output.hasPrefix(
                #"{"ok":true,"swap":{"manifest":"app.toml","outcome":"refused","reasons":[{"#))
        let told = "the manifest has changed, but the app continues as before"
        try blockUntil { host.program.nextLine() == told }
        _ = try host.spinhost("send", "pushed", "by=Ada", "times=3")
        try blockUntil { try host.spinhost("state").output.contains(#""times":3"#) }
        try FileManager.default.removeItem(at: host.folder.url("app.toml"))
        #expect(try host.spinhost("reload").output == "refused\n")
        #expect(host.end().status == 0)
    }

    @Test func `a locked app takes no changed manifest until it starts again`() throws {
        let host = try ControlledHost("app.lock = true\n" + ControlledHost.door)
        // Also one that is not locked any more.
        try host.folder.write("app.toml", ControlledHost.door)
        let refused = try host.spinhost("reload", "--json")
        #expect(refused.status == 1 && refused.output.contains(#""code":"P098""#), "\(refused.output)")
        kill(host.program.identifier, SIGHUP)
        #expect(host.program.nextLine().hasPrefix("error[P098]"), "\(refused.errors)")
        #expect(host.end().status == 0)
    }

    @Test
    func `a library that a plugin brings along must be allowed, at the start and in a changed manifest`()
        throws
    {
        let folder = try TemporaryFolder()
        let other = folder.url("other").path
        _ = try CCompiler().sharedObject(
            "int base(void) { return 1; }", in: folder, as: "other/libbrought.so",
            flags: ["-Wl,-soname,libbrought.so"])
        _ = try CCompiler().sharedObject(
            "int base(void); int use(void) { return base(); }", in: folder, as: "plugins/use.so",
            flags: ["-L\(other)", "-l:libbrought.so", "-Wl,-rpath,\(other)"])
        let manifest = """
            [plugins.use]
            library  = "plugins/use.so"
            declares = "int use(void);"
            [loops.door]
            feedback.use = { effect = "use:use" }

            """
        let narrow = "app = { name = \"door\", plugins = [\"plugins\"] }\n" + manifest
        try folder.write("app.toml", narrow)
        let environment = ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"]
        let refused = try Spinhost.run("run", in: folder, environment: environment)
        #expect(refused.status == 69 && refused.errors.contains("error[P071]"), "\(refused.errors)")
        try folder.write("app.toml", narrow.replacing("[\"plugins\"]", with: "[\"plugins\", \"other\"]"))
        let host = try ControlledHost(in: folder)
        try #require(host.program.waitForErrors("listening at `"))
        try folder.write("app.toml", narrow)
        let reload = try host.spinhost("reload", "--json")
        #expect(reload.status == 1 && reload.output.contains(#""code":"P071""#), "\(reload.output)")
        #expect(host.end().status == 0)
    }

    @Test func `an app that gets another name answers first`() throws {
        let host = try ControlledHost()
        try host.folder.write("app.toml", ControlledHost.door.replacing(#""door""#, with: #""gate""#))
        #expect(try host.spinhost("reload", "--app", "door").output == "reloaded\n")
        try blockUntil { try host.spinhost("state", "--app", "gate").status == 0 }
        #expect(host.end().status == 0)
    }

    @Test func `reload works under dev too`() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let environment = ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"]
        let program = try RunningProgram(["dev"], in: folder.root, environment: environment)
        #expect(program.waitForErrors("listening at `"))
        #expect(try Spinhost.run("reload", in: folder, environment: environment).output == "reloaded\n")
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
    }

    /// Prints a secret of the file `word`, and stays.
    private static let printing = """
        app = { name = "prints", stay = true }
        [config]
        word = { file = "word" }
        [loops.main.feedback]
        show = { effect = "std:print", args = ["string(size(config.word)) + ' bytes'"] }
        """

    @Test func `SIGHUP reads secrets again, without a control socket`() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.printing)
        try folder.write("word", "four")
        let program = try RunningProgram(["run", "--quiet"], in: folder.root)
        #expect(program.nextLine() == "4 bytes")
        try folder.write("word", "seven..")
        kill(program.identifier, SIGHUP)
        #expect(program.nextLine() == "7 bytes")
        try FileManager.default.removeItem(at: folder.url("word"))
        kill(program.identifier, SIGHUP)
        #expect(program.waitForErrors("the manifest has changed, but the app continues as before"))
        kill(program.identifier, SIGTERM)
        let end = program.end()
        #expect(end.status == 0 && end.errors.contains("error[M075]: the secret cannot be read"))
    }

    @Test func `SIGHUP ends an app whose terminal has gone`() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.printing)
        try folder.write("word", "four")
        var terminal: PseudoTerminal? = try PseudoTerminal()
        let program = try RunningProgram(["run"], in: folder.root, terminal: terminal)
        #expect(program.nextLine() == "4 bytes")
        kill(program.identifier, SIGHUP)
        #expect(program.waitForErrors("the app continues with it"))
        terminal = nil
        kill(program.identifier, SIGHUP)
        let end = program.end()
        #expect(end.status == 0 && end.errors.contains("\nstopped: "))
    }

    @Test func `an app that waits for SIGHUP itself gets the signal`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { n = 0 }
            events = { signalled = { count = "int" } }
            until  = "state.n > 0"
            on     = { signalled = { set = { n = "event.count" } } }
            [loops.main.feedback.wait]
            effect = "std:signal"
            args   = ["'HUP'"]
            """)
        let program = try RunningProgram(["run", "--json"], in: folder.root)
        #expect(program.nextLine().contains(#""step":0"#))
        // Until its effect waits, the signal would end the program.
        try blockUntil {
            let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
            let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.dropFirst(8) ?? "0"
            return (UInt64(caught.trimmingCharacters(in: .whitespaces), radix: 16) ?? 0) & 1 == 1
        }
        kill(program.identifier, SIGHUP)
        #expect(program.nextLine().contains(#""event":"signalled""#))
        #expect(program.end().status == 0)
    }

    @Test func `reload without an app says how to start one`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Spinhost.run(
            "reload", in: folder, environment: ["XDG_RUNTIME_DIR": folder.root.path])
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("start it with `spinhost run --control`"))
        #expect(try Spinhost.run("reload", "--steps").status == 64)
    }
}
