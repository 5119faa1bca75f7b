import Foundation
import Glibc
import TestSupport
import Testing

/// `spinhost dev` as its users see it: libraries are built while the app runs.
@Suite(.timeLimit(.minutes(10))) struct DevCommandTests {
    /// A folder with an app that asks a plugin in each state, until it answers 4.
    private struct World {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder(suffix: " with spaces")
            try folder.write(
                "app.toml",
                NumbersApp.manifest(
                    """
                    # Nobody calls it.
                    [plugins.others]
                    library = "./others.so"
                    """))
            try compile(1, to: "lib.so")
            try compile(1, to: "others.so")
        }

        func compile(_ number: Int, to name: String) throws {
            try NumbersApp.compile(number, in: folder, as: name)
        }

        /// Starts the app and waits until it runs.
        func run() throws -> RunningProgram {
            let program = try RunningProgram(
                ["dev", "--once", "--manifest", "app.toml", "--quiet"], in: folder.root)
            try #require(program.nextLine() == "ready")
            return program
        }
    }

    @Test func aLibraryThatChanges_isSwapped_fromALinker_inPlace_byRename_andThroughALink() throws {
        let world = try World()
        let program = try world.run()
        // As a linker does, which removes what is there.
        try world.compile(2, to: "lib.so")
        try #require(program.waitForErrors("swapped `numbers` 1.0 → 2.0\n"))
        // In place, into the file that is there.
        let library = world.folder.url("lib.so").path
        let number = try Shell.run("stat", ["-c", "%i", library]).output
        try world.compile(5, to: "copy.so")
        _ = try Shell.run("cp", [world.folder.url("copy.so").path, library])
        #expect(try Shell.run("stat", ["-c", "%i", library]).output == number)
        try #require(program.waitForErrors("swapped `numbers` 2.0 → 5.0\n"))
        // By renaming.
        try world.compile(3, to: "new.so")
        try FileManager.default.removeItem(at: world.folder.url("lib.so"))
        try FileManager.default.moveItem(at: world.folder.url("new.so"), to: world.folder.url("lib.so"))
        try #require(program.waitForErrors("swapped `numbers` 5.0 → 3.0\n"))
        // Through a link.
        try world.compile(4, to: "linked.so")
        try FileManager.default.removeItem(at: world.folder.url("lib.so"))
        try FileManager.default.createSymbolicLink(
            at: world.folder.url("lib.so"), withDestinationURL: world.folder.url("linked.so"))
        let end = program.end()
        #expect(end.status == 0)
        #expect(end.errors.hasSuffix("swapped `numbers` 3.0 → 4.0\n"), "\(end.errors)")
    }

    @Test func whatIsNoLibrary_isRefused_andTheAppContinues() throws {
        let world = try World()
        let program = try world.run()
        try world.folder.write("lib.so", "half of a library")
        try #require(program.waitForErrors("swap of `numbers` 1.0 refused\n"))
        try world.compile(4, to: "lib.so")
        let end = program.end()
        #expect(end.status == 0)
        #expect(end.errors.contains("error[P0"), "\(end.errors)")
        #expect(end.errors.hasSuffix("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
    }

    @Test func forPrograms_aSwapIsARecordAmongTheSteps() throws {
        let world = try World()
        let program = try RunningProgram(
            ["dev", "--once", "--manifest", "app.toml", "--json"], in: world.folder.root)
        var line = program.nextLine()
        #expect(line.contains(#""origin":"initial""#))
        try world.compile(4, to: "lib.so")
        // A look at the unfinished file may come in between.
        line = program.nextLine(with: #""outcome":"swapped""#)
        #expect(
            line.hasPrefix(
                #"{"swap":{"plugin":"numbers","outcome":"swapped","from":"1.0","to":"4.0","hash":""#),
            "\(line)")
        #expect(line.contains(#""pause":"#))
        #expect(program.end().status == 0)
    }

    @Test func withoutAChange_nothingIsSaid_andASignalEndsIt() throws {
        let world = try World()
        let program = try world.run()
        // A second file of the same bytes is no other version.
        let library = world.folder.url("lib.so")
        try Data(contentsOf: library).write(to: world.folder.url("copy.so"))
        // Safe because the paths are borrowed for the call.
        guard unsafe rename(world.folder.url("copy.so").path, library.path) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        try world.folder.write("lib.so", "no library")
        try #require(program.waitForErrors("swap of `numbers` 1.0 refused\n"))
        kill(program.identifier, SIGTERM)
        let end = program.end()
        #expect(end.errors.contains("swapped") == false, "\(end.errors)")
        #expect(end.errors.contains("others") == false, "\(end.errors)")
    }
}
