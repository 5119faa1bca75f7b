import Foundation
import TestSupport
import Testing

/// `spinhost inspect`, and the page beside `run` and `dev`.
@Suite(.timeLimit(.minutes(10))) struct InspectCommandTests {
    private static let missing = """
        error: `spinhost-inspector` is not installed
          = help: in a checkout, type: script/inspector release
          = help: install it beside `spinhost`, in a folder of PATH, or name it in SPINHOST_INSPECTOR

        """

    @Test func `inspect runs the inspector for the only app, with the options`() throws {
        let script = try InspectorScript(#"echo "$*""#)
        let host = try script.start("run", "--control")
        #expect(host.waitForErrors("listening at"))
        let plain = try script.run("inspect")
        #expect((plain.status, plain.output, plain.errors) == (0, "--socket \(script.socket)\n", ""))
        let all = try script.run(
            "inspect", "--app", "door", "--address", "10.0.0.7", "--port", "8080", "--exposed", "--write")
        #expect(
            all.output == "--socket \(script.socket) --address 10.0.0.7 --port 8080 --exposed --write\n")
        let other = try script.run("inspect", "--app", "window")
        #expect(other.status == 69 && other.errors.contains("no app listens at"))
        kill(host.identifier, SIGTERM)
        #expect(host.end().errors.contains("stopped: 0 steps"))
    }

    @Test func `A missing inspector is an error that says how to get it`() throws {
        let script = try InspectorScript()
        for path in ["", "/nowhere/spinhost-inspector", script.folder.root.path] {
            for arguments in ["inspect", "run --inspect", "dev --inspect-port 0"] {
                let words = arguments.split(separator: " ").map(String.init)
                let outcome = try Shell.run(
                    Project.spinhost, words, in: script.folder.root,
                    environment: script.environment.merging(["SPINHOST_INSPECTOR": path]) { $1 })
                #expect(outcome.status == 69)
                #expect(outcome.errors == Self.missing, "\(arguments) \(path)")
            }
        }
    }

    @Test func `run has a page beside it, which ends with it`() throws {
        let script = try InspectorScript(
            #"""
            echo "inspector: $*"
            ls /proc/$$/fd >descriptors
            printenv NOTIFY_SOCKET >notify
            cat >/dev/null
            echo >>ended
            """#)
        let host = try RunningProgram(
            ["run", "--inspect", "--inspect-port", "8080", "--inspect-write"], in: script.folder.root,
            environment: script.environment.merging(["NOTIFY_SOCKET": "/nowhere/socket"]) { $1 })
        #expect(
            host.waitForErrors("inspector: --socket \(script.socket) --port 8080 --write --with-parent\n"))
        #expect(host.waitForErrors("listening at `\(script.socket)`\n"))
        try blockUntil { script.has("notify") }
        // The standard ones, the connection to the process group, and the script itself, which the shell reads.
        #expect(script.lines(of: "descriptors").compactMap(Int.init).filter { $0 < 10 } == [0, 1, 2, 3])
        #expect(script.lines(of: "notify") == [])
        kill(host.identifier, SIGTERM)
        #expect(host.end().errors.contains("stopped: 0 steps, 0 events"))
        try blockUntil { script.has("ended") }
        #expect(script.lines(of: "started").count == 1)
    }

    @Test func `The page ends when the host is killed`() throws {
        let script = try InspectorScript()
        let host = try script.start("run", "--inspect")
        #expect(host.waitForErrors("inspector: --socket"))
        kill(host.identifier, SIGKILL)
        try blockUntil { script.has("ended") }
    }

    @Test func `An inspector that crashes starts again`() throws {
        let script = try InspectorScript(
            #"""
            echo "inspector: $(wc -l <started)"
            case $(wc -l <started) in 1) kill -SEGV $$;; 2) exit 3;; esac
            cat >/dev/null
            """#)
        let host = try script.start("run", "--inspect")
        #expect(host.waitForErrors("inspector: 3\n"))
        kill(host.identifier, SIGTERM)
        let lines = host.end().errors.split(separator: "\n").filter { $0.contains("inspector") }
        #expect(
            lines == [
                "inspector: 1", "the inspector ended (SIGSEGV); it starts again in 500 ms", "inspector: 2",
                "the inspector ended (exit code 3); it starts again in 1000 ms", "inspector: 3",
            ])
    }

    @Test func `The page moves with the app to another name`() throws {
        let script = try InspectorScript()
        let host = try script.start("run", "--inspect")
        #expect(host.waitForErrors("inspector: --socket \(script.socket)"))
        let other = ControlledHost.door.replacing("\"door\"", with: "\"gate\"")
        try script.folder.write("app.toml", other)
        #expect(try script.run("reload").output == "reloaded\n")
        let socket = script.folder.url("spinhost/gate.sock").path
        #expect(host.waitForErrors("inspector: --socket \(socket) --with-parent\n"))
        // The first one has ended, and that is no crash.
        #expect(script.lines(of: "started").count == 2)
        try blockUntil { script.has("ended") }
        kill(host.identifier, SIGTERM)
        #expect(!host.end().errors.contains("the inspector ended"))
    }

    @Test func `An inspector that cannot listen is not started again, and the app continues`() throws {
        let script = try InspectorScript(#"echo "inspector: error: the port is in use" >&2; exit 69"#)
        let host = try script.start("run", "--inspect")
        #expect(host.waitForErrors("the inspector is not started again\n"))
        #expect(try script.run("send", "shut").output == "queued\n")
        kill(host.identifier, SIGTERM)
        #expect(host.end().errors.contains("stopped: 1 step, 1 event"))
        #expect(script.lines(of: "started").count == 1)
    }

    @Test func `The host does not wait for an inspector that hangs`() throws {
        let script = try InspectorScript(#"echo "inspector: $$"; exec tail -f /dev/null"#)
        let host = try script.start("run", "--inspect")
        #expect(host.waitForErrors("inspector: "))
        kill(host.identifier, SIGTERM)
        #expect(host.end().errors.contains("stopped: 0 steps"))
        let inspector = try #require(script.lines(of: "started").first.flatMap { Int32($0) })
        #expect(kill(inspector, SIGKILL) == 0)
    }

    @Test func `dev has a page at a terminal, unless the user wants none`() throws {
        let script = try InspectorScript()
        let shown = try TerminalProgram(["dev"], in: script.folder.root, environment: script.environment)
        #expect(shown.waits { $0.drawn.contains("inspector: --socket \(script.socket) --with-parent") })
        try shown.type("\u{3}")
        #expect(shown.end() == 0)
        try blockUntil { script.has("ended") }
        let without = try TerminalProgram(
            ["dev", "--no-inspect"], in: script.folder.root, environment: script.environment)
        #expect(without.waits { $0.drawn.contains("listening at") })
        try without.type("\u{3}")
        #expect(without.end() == 0)
        #expect(script.lines(of: "started").count == 1)
        let missing = try TerminalProgram(
            ["dev"], in: script.folder.root,
            environment: script.environment.merging(["SPINHOST_INSPECTOR": "/nowhere"]) { $1 })
        #expect(missing.waits { $0.drawn.contains("no page: `spinhost-inspector` is not installed\r\n") })
        #expect(missing.waits { $0.drawn.contains("listening at") })
        try missing.type("\u{3}")
        #expect(missing.end() == 0)
    }

    @Test func `dev without a terminal has a page only if the user asks for it`() throws {
        let script = try InspectorScript()
        let plain = try script.start("dev")
        #expect(plain.waitForErrors("listening at"))
        kill(plain.identifier, SIGINT)
        #expect(plain.end().status == 0)
        #expect(script.lines(of: "started") == [])
        let asked = try script.start("dev", "--inspect")
        #expect(asked.waitForErrors("inspector: --socket"))
        kill(asked.identifier, SIGINT)
        #expect(asked.end().status == 0)
    }

    @Test func `Options that contradict each other, or belong to another verb, are refused`() throws {
        let script = try InspectorScript()
        for option in ["--inspect-port=1", "--inspect-address=::1", "--inspect-exposed", "--inspect-write"] {
            let name = option.prefix { $0 != "=" }
            let outcome = try script.run("run", "--no-inspect", option)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("`--no-inspect` and `\(name)` contradict each other"))
            #expect(try script.run("check", option).errors.contains("`\(name)` belongs to `run`"))
        }
        #expect(try script.run("check", "--inspect").errors.contains("`--inspect` belongs to `run`"))
        #expect(try script.run("run", "--inspect-port", "65536").status == 64)
        #expect(try script.run("inspect", "--port", "-1").status == 64)
        #expect(script.lines(of: "started") == [])
    }
}
