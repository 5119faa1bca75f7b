import Diagnostics
import Foundation
import Interfaces
import TestSupport
import Testing

@testable import PluginHost

/// What becomes of the folders of hosts that are gone, and of all others.
@Suite struct StagingTests {
    let parent: TemporaryFolder

    init() throws { parent = try TemporaryFolder() }

    /// A folder as a host leaves it that was killed.
    private func abandoned(_ name: String, mode: Int = 0o700, mark: String = ".in-use") throws -> String {
        let folder = parent.url(name)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("1-abc/lib"), withIntermediateDirectories: true)
        for file in [mark, "1-abc/plugin.so", "1-abc/.in-use", "1-abc/lib/libhelper.so"] {
            try Data().write(to: folder.appendingPathComponent(file))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("1-abc/outside").path, withDestinationPath: "../..")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        return folder.path
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `a folder of a host that is gone is removed by the next one`() throws {
        let old = try abandoned("spinhost-aB3dE6")
        let staging = try StagingDirectory(in: parent.root.path)
        #expect(!exists(old))
        #expect(exists(staging.path))
        #expect(exists(parent.root.path))
        staging.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.root.path) == [])
    }

    @Test func `a folder of a host that was killed is removed by the next one`() throws {
        let old = try abandoned("spinhost-killed")
        let lock = "exec 9<>'\(old)/.in-use'; flock -n 9 || exit 1; echo locked; exec sleep 600"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", lock]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("locked\n".utf8))
        _ = try StagingDirectory(in: parent.root.path)
        #expect(exists(old))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        _ = try StagingDirectory(in: parent.root.path)
        #expect(!exists(old))
    }

    @Test func `folders that are in use, or not of a host, stay`() throws {
        let used = try StagingDirectory(in: parent.root.path)
        let others = [
            try abandoned("spinhost-open00", mode: 0o750), try abandoned("spinhost-backup", mark: "notes"),
            try abandoned("spinhost-test-longer"), try abandoned("elsewhere"),
        ]
        let link = parent.url("spinhost-linked").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere")
        _ = try StagingDirectory(in: parent.root.path)
        for path in [used.path, link] + others {
            #expect(exists(path), "\(path)")
            #expect(path == used.path || exists(path + "/1-abc/plugin.so"), "\(path)")
        }
    }

    @Test func `hosts that start and end at the same time leave each other's folders alone`() async throws {
        let path = parent.root.path
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let staging = try StagingDirectory(in: path)
                        let isThere = FileManager.default.fileExists(atPath: staging.path + "/.in-use")
                        staging.close()
                        guard isThere else { return false }
                    }
                    return true
                }
            }
            for try await isWell in group { #expect(isWell) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    @Test func `the folder of a copy that is gone is that of the next one, with nothing else in it`() throws {
        let staging = try StagingDirectory(in: parent.root.path)
        let file = parent.url("plugin.so")
        var copies: [(path: String, hash: String)] = []
        for number in 1...3 {
            try Data("version \(number)".utf8).write(to: file)
            copies.append(try staging.copy(file.path))
        }
        // One folder is enough.
        for copy in copies[..<2] { StagingDirectory.removeCopy(copy.path) }
        func folders() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: staging.path).sorted()
        }
        #expect(try folders() == [".in-use", ".vacant", "3-\(copies[2].hash)"])
        for number in 4...5 {
            try Data("version \(number)".utf8).write(to: file)
            let copy = try staging.copy(file.path)
            let folder = (copy.path as NSString).deletingLastPathComponent
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["plugin.so"])
            #expect(try String(contentsOfFile: copy.path, encoding: .utf8) == "version \(number)")
            #expect(try !folders().contains(".vacant"))
        }
        StagingDirectory.removeCopy(copies[2].path)
        staging.close()
        #expect(!exists(staging.path))
        // What ends later has nothing to do any more.
        StagingDirectory.removeCopy(copies[0].path)
        #expect(!exists(staging.path))
    }

    @Test func `a copy that fails leaves nothing in the folder`() throws {
        let staging = try StagingDirectory(in: parent.root.path)
        let file = parent.url("plugin.so")
        try Data("content".utf8).write(to: file)
        // Its folder's name is taken, so that the copy fails once it is written.
        let copy = try staging.copy(file.path)
        let taken = "\(staging.path)/2-\(copy.hash)"
        try FileManager.default.createDirectory(atPath: taken + "/full", withIntermediateDirectories: true)
        #expect(throws: PluginError.self) { try staging.copy(file.path) }
        let left = try FileManager.default.contentsOfDirectory(atPath: staging.path).sorted()
        #expect(left == [".in-use", ".vacant", "1-\(copy.hash)", "2-\(copy.hash)"])
        staging.close()
    }

    @Test func `a library that is no library leaves no copy`() throws {
        let staging = try StagingDirectory(in: parent.root.path)
        let file = parent.url("plugin.so")
        try Data("content".utf8).write(to: file)
        #expect(throws: PluginError.self) { try staging.stage(file.path) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: staging.path).sorted() == [
                ".in-use", ".vacant",
            ])
        staging.close()
    }

    @Test func `a library that is not allowed is not copied, nor one that it brings along`() throws {
        let compiler = CCompiler()
        let (plugins, other) = (parent.url("plugins").path, parent.url("other").path)
        let staging = try StagingDirectory(
            in: parent.root.path,
            allowing: AllowedLibraries(["plugins"], manifestFolder: parent.root.path))
        defer { staging.close() }
        func code(_ path: String) -> DiagnosticCode? {
            do throws(PluginError) {
                _ = try staging.stage(path)
                return nil
            } catch { return error.code }
        }
        let outside = try compiler.sharedObject(
            "int base(void) { return 1; }", in: parent, as: "other/liballowed.so",
            flags: ["-Wl,-soname,liballowed.so"])
        #expect(code(outside) == .libraryNotAllowed)
        let user = try compiler.sharedObject(
            "int base(void); int use(void) { return base(); }", in: parent, as: "plugins/use.so",
            flags: ["-L\(other)", "-l:liballowed.so", "-Wl,-rpath,\(other)"])
        #expect(code(user) == .libraryNotAllowed)
        // The one beside the file is found before.
        try FileManager.default.copyItem(atPath: outside, toPath: "\(plugins)/liballowed.so")
        let beside = try compiler.sharedObject(
            "int base(void); int use(void) { return base(); }", in: parent, as: "plugins/beside.so",
            flags: ["-L\(plugins)", "-l:liballowed.so", "-Wl,-rpath,$ORIGIN:\(other)"])
        #expect(code(beside) == nil)
        // Where only the loader would look: a path without a soname, and a folder that depends on the machine.
        let nameless = try compiler.sharedObject(
            "int base(void) { return 1; }", in: parent, as: "other/plain.so")
        let source = "int base(void); int use(void) { return base(); }"
        let direct = try compiler.sharedObject(source, in: parent, as: "plugins/direct.so", flags: [nameless])
        #expect(code(direct) == .libraryNotAllowed)
        for place in ["$ORIGIN/$LIB", "lib"] {
            let dependent = try compiler.sharedObject(
                source, in: parent, as: "plugins/dependent.so",
                flags: ["-L\(plugins)", "-l:liballowed.so", "-Wl,-rpath,\(place)"])
            #expect(code(dependent) == .libraryNotAllowed, "\(place)")
        }
        // The loader skips a library for another machine, wherever it lies.
        var foreign = try Data(contentsOf: URL(fileURLWithPath: outside))
        foreign[18] = UInt8(
            ELFMachine.host == .x86_64 ? ELFMachine.aarch64.rawValue : ELFMachine.x86_64.rawValue)
        try foreign.write(to: URL(fileURLWithPath: outside))
        #expect(code(user) == nil)
        // A link is exchanged after the check of the manifest.
        let link = "\(plugins)/link.so"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: beside)
        #expect(code(link) == nil)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside)
        #expect(code(link) == .libraryNotAllowed)
    }
}
