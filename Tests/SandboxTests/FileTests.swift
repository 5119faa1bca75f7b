import Foundation
import Sandbox
import Testing
import TestSupport

/// Files: what the policy does not name is refused, however the path leads there.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct FileTests {
    /// A folder with `outside/secret`, `outside/empty/`, `inside/` and `data/x`.
    private let place: TemporaryFolder
    private var outside: String { place.url("outside").path }
    private var inside: String { place.url("inside").path }
    private var data: String { place.url("data").path }

    init() throws {
        place = try TemporaryFolder()
        try place.write("outside/secret", "secret")
        try place.write("outside/empty/x", "")
        try FileManager.default.removeItem(at: place.url("outside/empty/x"))
        try place.write("inside/x", "")
        try place.write("data/x", "data")
    }

    @Test func reading_needsRead() throws {
        #expect(try Self.run("read_file", data + "/x", SandboxPolicy()) == ["read": "EACCES"])
        #expect(try Self.run("read_file", data + "/x", SandboxPolicy(write: [data])) == ["read": "EACCES"])
        #expect(try Self.run("read_file", data + "/x", SandboxPolicy(read: [data])) == ["read": "allowed"])
        #expect(
            try Self.run("read_file", data + "/x", SandboxPolicy(read: [data + "/x"])) == ["read": "allowed"])
        #expect(try Self.run("list_folder", data, SandboxPolicy(read: [data + "/x"])) == ["list": "EACCES"])
        #expect(try Self.run("list_folder", data, SandboxPolicy(read: [data])) == ["list": "allowed"])
    }

    @Test func writing_needsWrite() throws {
        #expect(try Self.run("write_file", data + "/x", SandboxPolicy(read: [data])) == ["write": "EACCES"])
        #expect(try Self.run("write_file", data + "/x", SandboxPolicy(write: [data])) == ["write": "allowed"])
    }

    @Test func pathWithDots_isTheFileItLeadsTo() throws {
        let path = data + "/../outside/secret"
        #expect(try Self.run("read_file", path, SandboxPolicy(read: [data])) == ["read": "EACCES"])
    }

    @Test func symbolicLink_doesNotLeadOut() throws {
        let policy = SandboxPolicy(scratch: inside)
        #expect(
            try Self.run("read_linked", "\(outside)/secret:\(inside)/link", policy)
                == ["symlink": "allowed", "read": "EACCES", "write": "EACCES"])
        #expect(try text("outside/secret") == "secret")
    }

    @Test func rule_isForTheFile_thatALinkLeadsTo() throws {
        try FileManager.default.createSymbolicLink(
            atPath: place.url("link").path, withDestinationPath: data + "/x")
        let policy = SandboxPolicy(read: [place.url("link").path])
        #expect(try Self.run("read_file", data + "/x", policy) == ["read": "allowed"])
    }

    /// Such as one that an earlier process has put there.
    @Test(arguments: ["link", "folder/x"]) func pathThroughALink_isRefusedUnlessItWasResolved(_ path: String)
        throws
    {
        try FileManager.default.createSymbolicLink(
            atPath: place.url("link").path, withDestinationPath: data + "/x")
        try FileManager.default.createSymbolicLink(
            atPath: place.url("folder").path, withDestinationPath: data)
        let path = place.url(path).path
        let outcome = try SandboxedProcess.run(
            .files, "read_file", data + "/x", SandboxPolicy(read: [path]), options: ["--resolved", "no"])
        #expect(outcome.status == 65)
        #expect(outcome.errors == "cannot reach `\(path)` of `read`: too many levels of symbolic links\n")
    }

    @Test func folderOutside_cannotBeChanged() throws {
        let results = try Self.run("change_outside", outside, SandboxPolicy(scratch: inside))
        #expect(results.count == 14)
        // The current folder gives no rights.
        #expect(results.filter { $0.value != "EACCES" } == ["chdir": "allowed"])
        #expect(try text("outside/secret") == "secret")
    }

    @Test func metadata_cannotBeChanged() throws {
        let results = try Self.run(
            "change_metadata", data + "/x", SandboxPolicy(read: [data], write: [data]))
        #expect(results.count == 11)
        #expect(results.filter { $0.value != "EPERM" } == ["open": "allowed"])
    }

    @Test func devices_cannotBeMade() throws {
        let results = try Self.run("make_devices", inside, SandboxPolicy(scratch: inside))
        #expect(results.values.filter { $0 == "EPERM" }.count == 3)
        #expect(
            results.filter { $0.value != "EPERM" } == [
                "chdir": "allowed", "mkfifo(\"pipe\", 0600)": "allowed",
            ])
    }

    @Test func ownFolder_cannotBeMovedOrRemoved() throws {
        let results = try Self.run("move_itself", inside, SandboxPolicy(scratch: inside))
        #expect(Array(results.values) == ["EACCES", "EACCES"])
    }

    @Test func fileOutside_cannotBeMovedIn() throws {
        let results = try Self.run("move_across", "\(outside):\(inside)", SandboxPolicy(scratch: inside))
        #expect(
            results == [
                "link(from, to)": "EXDEV", "rename(from, to)": "EACCES", "open(from, O_RDONLY)": "EACCES",
            ])
    }

    @Test func placeOfAFile_cannotBeOpenedAgain() throws {
        let results = try Self.run("reopen_place", outside + "/secret", SandboxPolicy())
        #expect(
            results == [
                "place": "allowed", "open(link, O_RDONLY)": "EACCES EACCES",
                "openat(place, \"\", O_RDONLY)": "ENOENT",
            ])
    }

    @Test func parent_isNotReadThroughItsFolder() throws {
        let results = try Self.run("read_parent", "", SandboxPolicy())
        #expect(results.count == 7)
        #expect(Set(results.values) == ["EACCES"])
    }

    @Test func otherProcesses_thatItSees_stayClosed() throws {
        let results = try Self.run("read_parent", "", SandboxPolicy(seesOtherProcesses: true))
        #expect(results.filter { $0.value != "EACCES" } == ["cmdline": "allowed"])
    }

    @Test func deviceOfTheMachine_isRefused() throws {
        // The machine of the tests need not have `/dev/mem`.
        for device in ["/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/ptmx"]
        where FileManager.default.fileExists(atPath: device) {
            #expect(try Self.run("read_file", device, SandboxPolicy()) == ["read": "EACCES"], "\(device)")
        }
    }

    @Test func scratchFolder_isTheProcesssOwn() throws {
        let results = try Self.run("use_scratch", inside, SandboxPolicy(scratch: inside))
        #expect(results.count == 14)
        #expect(Set(results.values) == ["allowed"])
    }

    @Test func missingPath_isToldWithItsKey() throws {
        let policy = SandboxPolicy(read: [data, data + "/none"], write: ["relative"])
        #expect(
            policy.faults().map(\.description) == [
                "cannot reach `\(data)/none` of `read`: no such file or directory",
                "`relative` of `write` is not an absolute path",
            ])
        let outcome = try SandboxedProcess.run(.files, "read_file", data + "/x", policy)
        #expect(outcome.status == 65)
        #expect(outcome.errors == "cannot reach `\(data)/none` of `read`: no such file or directory\n")
    }

    private static func run(
        _ attempt: String, _ argument: String, _ policy: SandboxPolicy
    ) throws -> [String: String] {
        let outcome = try SandboxedProcess.run(.files, attempt, argument, policy)
        #expect(outcome.signal == 0)
        #expect(outcome.errors == "")
        return outcome.results
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: place.url(name), encoding: .utf8)
    }
}
