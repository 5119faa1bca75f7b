import Foundation
import TestSupport
import Testing

@testable import spinhost

/// `spinhost service`: the unit of an app.
@Suite(.timeLimit(.minutes(10))) struct ServiceCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", "app.name = \"door\"\n" + "[loops.main]\n")
    }

    private func run(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, ["service"] + arguments, in: folder.root,
            environment: ["XDG_CONFIG_HOME": folder.url("config").path, "NO_COLOR": "1"])
    }

    private var file: URL { folder.url("config/systemd/user/spinhost-door.service") }

    private func unit() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test func `install shows and writes a unit of the user, and uninstall removes it`() throws {
        let installed = try run("install", "--user", "--yes")
        #expect(installed.status == 0, "\(installed.errors)")
        #expect(try unit() == installed.output)
        #expect(
            installed.errors.hasSuffix(
                """
                wrote `\(file.path)`; start it with:
                  systemctl --user daemon-reload
                  systemctl --user enable --now spinhost-door.service

                """))
        for line in [
            "Type=notify", "WatchdogSec=30", "Restart=on-failure", "RestartPreventExitStatus=64 78",
            "StateDirectory=spinhost/door", "NoNewPrivileges=yes", "WantedBy=default.target",
        ] {
            #expect(installed.output.contains("\n\(line)\n"))
        }
        #expect(!installed.output.contains("DynamicUser"))
        #expect(try run("show", "--user").output == installed.output)
        let again = try run("install", "--user")
        #expect(again.status == 0 && again.errors == "`\(file.path)` has this unit already\n")
        let removed = try run("uninstall", "--user", "--yes")
        #expect(removed.status == 0 && removed.output == installed.output)
        #expect(removed.errors.contains("systemctl --user disable --now spinhost-door.service"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try run("uninstall", "--user", "--yes").errors.hasPrefix("error: there is no unit `"))
    }

    @Test func `nothing is written when nobody can be asked`() throws {
        let outcome = try run("install", "--user")
        #expect(outcome.status == 1 && outcome.output.contains("ExecStart="))
        #expect(outcome.errors.contains("nobody can be asked\n  = help: `--yes` answers the question\n"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: [("y", true), ("n", false), ("", false)])
    func `install asks on a terminal`(_ answer: String, _ writes: Bool) throws {
        let terminal = try PseudoTerminal()
        let program = try RunningProgram(
            ["service", "install", "--user"], in: folder.root,
            environment: ["XDG_CONFIG_HOME": folder.url("config").path], terminal: terminal)
        #expect(program.waitForErrors("write `\(file.path)`? [y/N] "))
        try terminal.type(answer)
        #expect(program.end().status == (writes ? 0 : 1))
        #expect(FileManager.default.fileExists(atPath: file.path) == writes)
    }

    @Test func `a unit that somebody else wrote stays`() throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try "[Unit]\n".write(to: file, atomically: true, encoding: .utf8)
        for verb in ["install", "uninstall"] {
            let outcome = try run(verb, "--user", "--yes")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("was not written by `spinhost service`"))
        }
        #expect(try unit() == "[Unit]\n")
        #expect(try run("install", "--user", "--yes", "--name", "other").status == 0)
    }

    @Test func `a manifest with faults is no service, but a secret may be missing`() throws {
        try folder.write("app.toml", "app.name = \"door\"\nloop = 1\n")
        #expect(try run("show").status == 78)
        try folder.write(
            "app.toml",
            """
            app.name = "door"
            config   = { token = { credential = "token" } }
            [loops.main.feedback.show]
            effect = "std:print"
            args   = ["config.token"]
            """)
        let outcome = try run("show")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("note: the service will need this secret: there is no credential `token`")
        )
        #expect(try run("show", "--manifest", "none.toml").status == 66)
        #expect(try run("show", "--name", "../x").status == 64)
        #expect(try run("show", "--quiet").status == 64)
    }

    @Test func `the journal of the app lies in the state folder`() throws {
        try folder.write("app.toml", "app = { name = \"door\", journal = \"run.journal\" }\n[loops.main]\n")
        #expect(try run("show").output.contains(" --journal \"%S/spinhost/door/run.journal\"\n"))
    }

    @Test func `paths with spaces and signs are quoted`() {
        let unit = ServiceUnit(
            owner: .system, name: "door", program: "/usr/bin/spinhost", manifest: "/a b/100% \"$x\"/app.toml",
            folder: "/a b/100% \"$x\"", journal: nil)
        #expect(
            unit.text.contains(
                #"ExecStart=/usr/bin/spinhost run --manifest "/a b/100%% \"$$x\"/app.toml" --control --quiet"#
            ))
        #expect(unit.text.contains("\nWorkingDirectory=/a b/100%% \"$x\"\n"))
    }

    /// What a distribution installs: a unit for each folder in `/etc/spinhost`.
    private static let template = ServiceUnit(
        owner: .system, name: "NAME", program: "/usr/bin/spinhost", manifest: "/etc/spinhost/NAME/app.toml",
        folder: "/etc/spinhost/NAME", journal: nil
    ).text.replacing(ServiceUnit.mark, with: "# `spinhost service show` prints such a unit for one app.")
        .replacing("spinhost-NAME.service", with: "spinhost@NAME.service").replacing("NAME", with: "%i")

    @Test func `the packaged unit is that of the command`() throws {
        let file = Project.root.appendingPathComponent("packaging/spinhost@.service")
        if Project.isRegenerating {
            try Self.template.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.template)
    }

    private static let hasSystemd = (try? Shell.run("sh", ["-c", "command -v systemd-analyze"]).status) == 0

    @Test(.enabled(if: hasSystemd), arguments: ["system", "user"])
    func `systemd accepts the unit, and finds it safe`(_ owner: String) throws {
        let unit = ServiceUnit(
            owner: owner == "user" ? .user : .system, name: "door", program: Project.spinhost,
            manifest: "/etc/spinhost/a b/app.toml", folder: "/etc/spinhost/a b", journal: "run.journal")
        let path = try folder.write(unit.unit, unit.text)
        let verified = try Shell.run(
            "systemd-analyze", ["verify", "--\(owner)", "--man=no", "--recursive-errors=no", path],
            environment: ["XDG_RUNTIME_DIR": folder.root.path])
        #expect(verified.status == 0 && verified.errors == "", "\(verified.errors)")
        guard owner == "system" else { return }
        let security = try Shell.run(
            "systemd-analyze", ["security", "--offline=true", "--threshold=25", path])
        #expect(security.status == 0, "\(security.output)")
    }
}
