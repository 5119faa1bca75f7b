import Foundation
import TestSupport
import Testing

/// The folder and the files of control sockets.
struct ControlFolderTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test(arguments: [SIGTERM, SIGINT])
    func folderAndSocket_areTheOwnersAlone_andTheFileIsRemovedAtTheEnd(_ signal: Int32) throws {
        let host = try ControlledHost()
        let folder = host.folder.url("spinhost").path
        #expect(try mode(folder) == 0o700)
        #expect(try mode(host.socket) == 0o600)
        #expect(host.end(signal).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test func nameInUse_isRefused_andTheFirstHostContinues() throws {
        let host = try ControlledHost()
        let second = try host.spinhost("run", "--control")
        #expect(
            second.errors == """
                error: name `door` is in use: another host listens at `\(host.socket)`
                  = help: stop that host, or give this app another `name`

                """)
        #expect(second.output == "" && second.status == 69)
        #expect(try host.spinhost("state").status == 0)
    }

    @Test func theSocketOfAHostThatWasKilled_isReplaced() throws {
        let host = try ControlledHost()
        _ = host.end(SIGKILL)
        #expect(exists(host.socket))
        let gone = try host.spinhost("state", "--app", "door")
        #expect(gone.errors.hasPrefix("error: no app listens at `\(host.socket)`\n") && gone.status == 69)
        let next = try ControlledHost(in: host.folder)
        try #require(next.program.waitForErrors("listening"))
        #expect(try next.spinhost("state").status == 0)
    }

    @Test func amongHostsThatFindAStaleSocket_oneGetsTheName() throws {
        let host = try ControlledHost()
        _ = host.end(SIGKILL)
        let hosts = try (0..<6).map { _ in try ControlledHost(in: host.folder) }
        let listening = hosts.filter { $0.program.waitForErrors("listening at") }
        #expect(listening.count == 1)
        for other in hosts where other !== listening.first { #expect(other.program.end().status == 69) }
        #expect(try host.spinhost("state").status == 0)
    }

    @Test func aHostThatEndsAtOnce_leavesNoFile() throws {
        let host = try ControlledHost()
        let end = host.program.end(repeating: SIGTERM)
        #expect(end.status == 0 || end.status == 143)
        #expect(!exists(host.socket))
    }

    @Test func fileThatIsNoSocket_isNotRemoved() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        try FileManager.default.createDirectory(
            at: folder.url("spinhost"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let file = try folder.write("spinhost/door.sock", "mine")
        let outcome = try run(folder)
        #expect(
            outcome.errors
                == "error: `\(file)` exists and is not a socket\n  = help: remove it, or give the app another `name`\n"
        )
        #expect(outcome.status == 69)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    @Test func unsafeFolder_isRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let path = folder.url("spinhost").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
        func expect(_ message: String, _ help: String) throws {
            for arguments in [["run", "--control"], ["state"]] {
                let outcome = try Shell.run(
                    Project.spinhost, arguments, in: folder.root,
                    environment: ["XDG_RUNTIME_DIR": folder.root.path])
                #expect(outcome.errors == "error: \(message)\n  = help: \(help)\n")
                #expect(outcome.output == "" && outcome.status == 69)
            }
        }
        try expect(
            "other users can open the folder `\(path)` for control sockets",
            "type: chmod 700 '\(path)'")
        let own = "remove it, if it is yours; else set XDG_RUNTIME_DIR to a folder of yours"
        try FileManager.default.moveItem(atPath: path, toPath: folder.url("other").path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: folder.url("other").path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "other")
        try expect("the path `\(path)` for control sockets is a symbolic link", own)
        try FileManager.default.removeItem(atPath: path)
        try folder.write("spinhost", "")
        try expect("the path `\(path)` for control sockets is not a folder", own)
    }

    @Test(.enabled(if: getuid() == 0)) func aFolderOfAnotherUser_isRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let path = folder.url("spinhost").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: path)
        let outcome = try run(folder)
        #expect(
            outcome.errors == """
                error: the folder `\(path)` for control sockets belongs to user 65534
                  = help: set XDG_RUNTIME_DIR to a folder of yours

                """)
        #expect(outcome.status == 69)
    }

    @Test func aPathThatIsTooLong_isRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let runtime = folder.url(String(repeating: "x", count: 100)).path
        let path = "\(runtime)/spinhost/door.sock"
        for arguments in [["run", "--control"], ["state", "--app", "door"]] {
            let outcome = try Shell.run(
                Project.spinhost, arguments, in: folder.root, environment: ["XDG_RUNTIME_DIR": runtime])
            #expect(
                outcome.errors == """
                    error: the path of a socket can have at most 107 bytes, but `\(path)` has \(path.utf8.count)
                      = help: set XDG_RUNTIME_DIR to a shorter path, or give the app a shorter `name`

                    """)
            #expect(outcome.status == 69)
        }
    }

    @Test func withoutARuntimeFolder_socketsAreBelowTmp() throws {
        for runtime in ["", "relative"] {
            let outcome = try Spinhost.run(
                "state", "--app", "app-of-nobody", environment: ["XDG_RUNTIME_DIR": runtime])
            #expect(
                outcome.errors.hasPrefix(
                    "error: no app listens at `/tmp/spinhost-\(geteuid())/app-of-nobody.sock`\n"))
            #expect(outcome.status == 69)
        }
        let folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let outcome = try Spinhost.run(
            "run", "--control", in: folder, environment: ["XDG_RUNTIME_DIR": "/dev/null/x"])
        #expect(
            outcome.errors == """
                error: the folder `/dev/null/x/spinhost` for control sockets cannot be created: not a directory
                  = help: set XDG_RUNTIME_DIR to a folder of yours, or unset it

                """)
        #expect(outcome.status == 69)
    }

    private func run(_ folder: TemporaryFolder) throws -> Shell.Outcome {
        try Spinhost.run(
            "run", "--control", in: folder, environment: ["XDG_RUNTIME_DIR": folder.root.path])
    }
}
