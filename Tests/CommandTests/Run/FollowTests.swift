import Foundation
import TestSupport
import Testing

/// `std:follow` with real files.
@Suite(.timeLimit(.minutes(10))) struct FollowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts an app that follows files, prints their lines, and ends after so many.
    private func follow(_ files: [URL], lines: Int) throws -> RunningProgram {
        let follows = files.enumerated().map { index, file in
            "follow\(index) = { effect = \"std:follow\", args = [\"'\(file.path)'\", \"'start'\"] }"
        }
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { n = 0 }
            events = { line = { text = "string" } }
            until  = "state.n == \(lines)"
            on.line = { set = { n = "state.n + 1" } }
            [loops.main.feedback]
            print  = { effect = "std:print", on = "line", args = ["event.text"] }
            ready  = { effect = "std:print", args = ["'ready'"] }
            \(follows.joined(separator: "\n"))

            """)
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path])
        try #require(spinhost.nextLine() == "ready")
        return spinhost
    }

    private func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func aFileIsFollowed_acrossRotationAndTruncation() throws {
        let log = folder.url("log")
        let spinhost = try follow([log], lines: 8)
        // It does not exist yet.
        try Data("one\ntw".utf8).write(to: log)
        #expect(spinhost.nextLine() == "one")
        try append("o\n", to: log)
        #expect(spinhost.nextLine() == "two")
        // Renamed, and made anew; who wrote to the old one does so once more.
        let old = folder.url("log.1")
        try FileManager.default.moveItem(at: log, to: old)
        try append("three\n", to: old)
        #expect(spinhost.nextLine() == "three")
        try Data("four\n".utf8).write(to: log)
        #expect(spinhost.nextLine() == "four")
        try append("late\n", to: old)
        #expect(spinhost.nextLine() == "late")
        // Another file in its place at once.
        try Data("five\n".utf8).write(to: folder.url("new"))
        // Safe because the paths are borrowed for the call.
        #expect(unsafe rename(folder.url("new").path, log.path) == 0)
        #expect(spinhost.nextLine() == "five")
        // Cut, as `copytruncate` does.
        // Safe because the path is borrowed for the call.
        #expect(unsafe truncate(log.path, 0) == 0)
        try append("6\n", to: log)
        #expect(spinhost.nextLine() == "6")
        try append("seven\n", to: log)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }

    /// The file of before is watched until the next one; here that is the same file.
    @Test func aFileThatWasRenamedAndComesBack_isFollowed() throws {
        let (log, old) = (folder.url("log"), folder.url("old"))
        try Data("one\n".utf8).write(to: log)
        let spinhost = try follow([log], lines: 5)
        #expect(spinhost.nextLine() == "one")
        try FileManager.default.moveItem(at: log, to: old)
        try Data("two\n".utf8).write(to: log)
        #expect(spinhost.nextLine() == "two")
        // Safe because the paths are borrowed for the call.
        #expect(unsafe rename(old.path, log.path) == 0)
        // What takes the place of a file is read from its start.
        #expect(spinhost.nextLine() == "one")
        try append("three\n", to: log)
        #expect(spinhost.nextLine() == "three")
        try append("four\n", to: log)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }

    /// A log that is a symbolic link, as programs leave that begin a folder each day.
    @Test func logThatMovesFromFolderToFolder_keepsAFewWatches() throws {
        let link = folder.url("log")
        func rotate(_ day: Int) throws {
            try FileManager.default.createDirectory(
                at: folder.url("day \(day)"), withIntermediateDirectories: false)
            try Data("line \(day)\n".utf8).write(to: folder.url("day \(day)/log"))
            try FileManager.default.createSymbolicLink(
                at: folder.url("new"), withDestinationURL: folder.url("day \(day)/log"))
            // Safe because the paths are borrowed for the call.
            #expect(unsafe rename(folder.url("new").path, link.path) == 0)
        }
        let days = 60
        let spinhost = try follow([link], lines: days + 2)
        var counts: [Int] = []
        for day in 0..<days {
            try rotate(day)
            try #require(spinhost.nextLine() == "line \(day)")
            counts.append(try Self.watches(of: spinhost))
        }
        // The folder of the link, the one of the log, the log, and the log before.
        #expect(counts.suffix(days - 2).allSatisfy { $0 == 4 }, "\(counts)")
        // The folder of today is still watched, and so is the one of the link.
        try FileManager.default.removeItem(at: folder.url("day \(days - 1)/log"))
        try Data("again\n".utf8).write(to: folder.url("day \(days - 1)/log"))
        #expect(spinhost.nextLine() == "again")
        try rotate(days)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }

    /// How many files and folders the program has inotify watch.
    private static func watches(of program: RunningProgram) throws -> Int {
        let folder = "/proc/\(program.identifier)/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { count, name in
            // It may have been closed since.
            let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
            return count + text.split(separator: "\n").count { $0.hasPrefix("inotify ") }
        }
    }

    /// More than a user may have inotify instances where the kernel is as it comes: 128.
    @Test func manyFiles_areFollowed() throws {
        let files = (0..<200).map { folder.url("log \($0)") }
        let spinhost = try follow(files, lines: 2 * files.count)
        for file in files { try Data().write(to: file) }
        for round in ["first", "second"] {
            for (index, file) in files.enumerated() { try append("\(round) \(index)\n", to: file) }
            let lines = files.indices.compactMap { _ in spinhost.nextLine() }
            #expect(Set(lines) == Set(files.indices.map { "\(round) \($0)" }))
        }
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }
}
