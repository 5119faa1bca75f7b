import Foundation
import TestSupport
import Testing

/// How `spinhost fmt` replaces a file.
struct FmtFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.url(name)), as: UTF8.self)
    }

    /// Runs `fmt` in the folder.
    private func format(_ arguments: String..., environment: [String: String] = [:]) throws -> Shell.Outcome {
        try Shell.run(Project.spinhost, ["fmt"] + arguments, in: folder.root, environment: environment)
    }

    /// Runs `fmt` in the folder as user 65534, who is in no other group.
    private func formatAsNobody() throws -> Shell.Outcome {
        let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try Shell.run("setpriv", identity + [Project.spinhost, "fmt"], in: folder.root)
    }

    private func expect(
        _ outcome: Shell.Outcome, status: Int32 = 0, writes output: String = "", errors: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            (outcome.status, outcome.output, outcome.errors) == (status, output, errors),
            sourceLocation: sourceLocation)
    }

    /// Changes an owner, a group and a mode, which are as `chown` and `chmod` have them.
    private func set(_ owner: String, _ mode: String, of path: String) throws {
        #expect(try Shell.run("chown", [owner, path], in: folder.root).status == 0)
        #expect(try Shell.run("chmod", [mode, path], in: folder.root).status == 0)
    }

    private func owner(_ path: String) throws -> String {
        try Shell.run("stat", ["--format=%u:%g %a", path], in: folder.root).output
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
    }

    @Test func link_staysALink_andTheFileKeepsItsMode() throws {
        try folder.write("real/app.toml", "a=1\n")
        let manager = FileManager.default
        let (link, real) = (folder.url("app.toml"), folder.url("real/app.toml"))
        try manager.createSymbolicLink(atPath: link.path, withDestinationPath: "real/app.toml")
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
        expect(try format(), writes: "app.toml\n")
        #expect(try manager.destinationOfSymbolicLink(atPath: link.path) == "real/app.toml")
        let attributes = try manager.attributesOfItem(atPath: real.path)
        #expect(attributes[.posixPermissions] as? NSNumber == 0o640)
        #expect(try text("real/app.toml") == "a = 1\n")
        #expect(try manager.contentsOfDirectory(atPath: folder.url("real").path) == ["app.toml"])
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser may give files away"))
    func owner_groupAndMode_stay() throws {
        try folder.write("app.toml", "a=1\n")
        try set("65534:1", "4641", of: "app.toml")
        expect(try format(), writes: "app.toml\n")
        #expect(try owner("app.toml") == "65534:1 4641\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser may give files away"))
    func groupThatCannotBeKept_givesNoRightsToAnother() throws {
        for (before, after) in [("2664", "644"), ("4640", "600"), ("604", "644")] {
            try folder.write("app.toml", "a=1\n")
            try set("65534:65534", "755", of: ".")
            try set("65534:1", before, of: "app.toml")
            expect(try formatAsNobody(), writes: "app.toml\n")
            #expect(try owner("app.toml") == "65534:65534 \(after)\n")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser may give files away"))
    func fileOfAnotherOwner_stays() throws {
        try folder.write("app.toml", "a=1\n")
        try set("65534:65534", "755", of: ".")
        try set("0:0", "666", of: "app.toml")
        expect(
            try formatAsNobody(), status: 2,
            errors:
                "error: `app.toml` cannot be written: it belongs to user 0, and would then belong to user 65534\n"
        )
        #expect(try text("app.toml") == "a=1\n" && names() == ["app.toml"])
        #expect(try owner("app.toml") == "0:0 666\n")
    }

    @Test func longestName_isWritten() throws {
        let name = String(repeating: "n", count: 250) + ".toml"
        try folder.write(name, "a=1\n")
        expect(try format(name), writes: "\(name)\n")
        #expect(try text(name) == "a = 1\n" && names() == [name])
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write any file"))
    func fileWithoutPermission_stays() throws {
        try folder.write("app.toml", "a=1\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o444], ofItemAtPath: folder.url("app.toml").path)
        expect(try format(), status: 2, errors: "error: `app.toml` cannot be written: permission denied\n")
        #expect(try text("app.toml") == "a=1\n" && names() == ["app.toml"])
    }

    @Test func fullDisk_leavesTheFile_andNoDraft() throws {
        let before = "a=1\n" + String(repeating: "#\n", count: 1000)
        try folder.write("app.toml", before)
        // Without the signal, a file that grows beyond 1024 bytes is an error of the call.
        expect(
            try Shell.run(
                "bash", ["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" fmt", Project.spinhost],
                in: folder.root),
            status: 2, errors: "error: `app.toml` cannot be written: file too large\n")
        #expect(try text("app.toml") == before && names() == ["app.toml"])
    }

    @Test func newTextIsOnTheDisk_beforeTheOldOneIsReplaced() throws {
        let other = try TemporaryFolder()
        try folder.write("app.toml", "a=1\n")
        let note = other.url("note").path
        let environment = try FailingCalls(in: other).environment(at: 1, EIO, isSync: true, note: note)
        expect(
            try format(environment: environment), status: 2,
            errors: "error: `app.toml` cannot be written: input/output error\n")
        #expect(try text("app.toml") == "a=1\n" && names() == ["app.toml"])
    }

    @Test func draftOfARunThatWasKilled_isNotInTheWay() throws {
        try folder.write("app.toml", "a=1\n")
        // The process has the same identifier.
        let script = "touch app.toml.$$.new; exec \"$0\" fmt"
        expect(
            try Shell.run("bash", ["-c", script, Project.spinhost], in: folder.root), writes: "app.toml\n")
        #expect(try text("app.toml") == "a = 1\n")
    }
}
