import Foundation
import Interfaces
import TestSupport
import Testing

/// Folders whose libraries may be loaded, and files in them and outside.
@Suite struct AllowedLibrariesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for path in ["plugins/deep/a.so", "plugins-evil/a.so", "other/a.so"] { try folder.write(path, "") }
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.url("plugins/out.so").path, withDestinationPath: folder.url("other/a.so").path)
        try files.createSymbolicLink(
            atPath: folder.url("other/in.so").path,
            withDestinationPath: folder.url("plugins/deep/a.so").path)
        try files.createSymbolicLink(
            atPath: folder.url("link").path, withDestinationPath: folder.url("plugins").path)
    }

    private func allows(_ entries: [String], _ path: String) throws -> Bool {
        let allowed = try AllowedLibraries(entries, manifestFolder: folder.root.path)
        do { try allowed.check(path: folder.url(path).path) } catch {
            #expect(error.code == .libraryNotAllowed)
            return false
        }
        return true
    }

    @Test(arguments: ["plugins", "./plugins/", "other/../plugins", "link", "plugins/deep", "/"])
    func `a file in a folder, or below, is allowed`(_ entry: String) throws {
        #expect(try allows(["nowhere", entry], "plugins/deep/a.so"))
        #expect(try allows([folder.url("plugins").path], "plugins/deep/a.so"))
    }

    @Test func `a file that is an entry is allowed, and no other beside it`() throws {
        #expect(try allows(["plugins/deep/a.so"], "plugins/deep/a.so"))
        #expect(try allows(["other/in.so"], "plugins/deep/a.so"))
        #expect(try !allows(["plugins/deep/a.s"], "plugins/deep/a.so"))
        #expect(try !allows(["plugins/deep/a.so"], "other/a.so"))
    }

    @Test(arguments: ["plugins-evil/a.so", "other/a.so", "plugins/out.so", "plugins/../other/a.so"])
    func `a file outside is refused, also behind a link`(_ path: String) throws {
        #expect(try !allows(["plugins"], path))
    }

    @Test func `the file that a link leads to counts`() throws {
        #expect(try allows(["plugins"], "other/in.so"))
        #expect(try !allows(["other"], "other/in.so"))
        #expect(try !allows([], "plugins/deep/a.so"))
    }

    @Test func `an open file counts where it was opened, whatever has its path now`() throws {
        let allowed = try AllowedLibraries(["plugins"], manifestFolder: folder.root.path)
        let (path, inside) = (folder.url("other/a.so").path, folder.url("plugins/deep/a.so").path)
        let outside = try #require(FileHandle(forReadingAtPath: path))
        try FileManager.default.removeItem(atPath: path)
        for link in [path, path + " (deleted)"] {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: inside)
        }
        let error = #expect(throws: InterfaceError.self) {
            try allowed.check(descriptor: outside.fileDescriptor, path: path)
        }
        #expect(error?.code == .libraryNotAllowed)
        // A file that is replaced meanwhile is still that of an allowed folder.
        let replaced = try #require(FileHandle(forReadingAtPath: inside))
        try FileManager.default.removeItem(atPath: inside)
        try allowed.check(descriptor: replaced.fileDescriptor, path: inside)
    }

    @Test func `names are compared by their bytes`() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        for name in [composed, decomposed] { try folder.write("\(name)/\u{301}.so", "") }
        #expect(try allows([composed], "\(composed)/\u{301}.so"))
        #expect(try !allows([composed], "\(decomposed)/\u{301}.so"))
    }

    @Test func `a library of the system is allowed by its name alone`() throws {
        let allowed = try AllowedLibraries(["/", "libm.so.6"], manifestFolder: "/")
        try allowed.check(system: "libm.so.6")
        let error = #expect(throws: InterfaceError.self) { try allowed.check(system: "libc.so.6") }
        #expect(error?.code == .libraryNotAllowed)
    }

    @Test(arguments: ["", "a\0b"]) func `an entry that no folder can have is refused`(_ entry: String) {
        let error = #expect(throws: InterfaceError.self) {
            try AllowedLibraries([entry], manifestFolder: "/tmp")
        }
        #expect(error?.code == .libraryName)
    }
}
