import Foundation
import Interfaces
import TestSupport
import Testing

struct LibraryLocationTests {
    private func resolve(_ library: String, _ folder: String, _ path: [String] = []) throws -> LibraryLocation
    {
        try LibraryLocation.resolve(library: library, manifestFolder: folder, pluginPath: path)
    }

    @Test func nameWithSlash_isAPathFromTheManifestsFolder() throws {
        #expect(try resolve("./levels.so", "/app") == .file("/app/levels.so"))
        #expect(try resolve("build/../levels.so", "/app/.//x/") == .file("/app/x/build/../levels.so"))
        #expect(try resolve("/usr/lib/./levels.so", "/app") == .file("/usr/lib/levels.so"))
        let current = FileManager.default.currentDirectoryPath
        #expect(try resolve("./levels.so", ".") == .file("\(current)/levels.so"))
        #expect(try resolve("./levels.so", "") == .file("\(current)/levels.so"))
    }

    @Test func bareName_isTheFirstOfThePluginPath_elseTheSystems() throws {
        let folder = try TemporaryFolder()
        for name in ["first", "second"] {
            try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: true)
        }
        try folder.write("second/levels.so", "")
        let root = folder.root.path
        #expect(try resolve("levels.so", root, ["first", "second"]) == .file("\(root)/second/levels.so"))
        try folder.write("first/levels.so", "")
        #expect(try resolve("levels.so", root, ["first", "second"]) == .file("\(root)/first/levels.so"))
        #expect(try resolve("levels.so", "/", ["\(root)/second"]) == .file("\(root)/second/levels.so"))
        #expect(try resolve("libc.so.6", root, ["first"]) == .system("libc.so.6"))
        #expect(try resolve("levels.so", root) == .system("levels.so"))
    }

    @Test(arguments: ["", "a\0b", ".", "..", "./a\0"])
    func impossibleName_isRefused(name: String) {
        let error = #expect(throws: InterfaceError.self) { try resolve(name, "/app") }
        #expect(error?.code == .libraryName)
    }
}
