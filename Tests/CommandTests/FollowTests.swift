import Foundation
import TestSupport
import Testing

/// `std:follow` with many files, and with one that comes back.
@Suite struct FollowTests {
    private func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    /// More than a user may have inotify instances where the kernel is as it comes: 128.
    @Test func asManyFilesAsOneLikesAreFollowed() throws {
        let count = 200
        let folder = try TemporaryFolder()
        let files = (0..<count).map { folder.url("log \($0)") }
        for (index, file) in files.enumerated() { try Data("first \(index)\n".utf8).write(to: file) }
        let follows = files.enumerated().map { index, file in
            "follow\(index) = { effect = \"std:follow\", args = [\"'\(file.path)'\", \"'start'\"] }"
        }
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { n = 0 }
            events = { line = { text = "string" } }
            until  = "state.n == \(2 * count)"
            on.line = { set = { n = "state.n + 1" } }
            [loops.main.feedback]
            print  = { effect = "std:print", on = "line", args = ["event.text"] }
            \(follows.joined(separator: "\n"))

            """)
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path])
        let first = (0..<count).compactMap { _ in spinhost.nextLine() }
        #expect(Set(first) == Set((0..<count).map { "first \($0)" }))
        for (index, file) in files.enumerated() { try append("second \(index)\n", to: file) }
        let second = (0..<count).compactMap { _ in spinhost.nextLine() }
        #expect(Set(second) == Set((0..<count).map { "second \($0)" }))
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }

    /// The file of before is watched until the next one; here that is the same file.
    @Test func aFileThatWasRenamedAndComesBackIsFollowed() throws {
        let folder = try TemporaryFolder()
        let (log, old) = (folder.url("log"), folder.url("old"))
        try Data("one\n".utf8).write(to: log)
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { n = 0 }
            events = { line = { text = "string" } }
            until  = "state.n == 5"
            on.line = { set = { n = "state.n + 1" } }
            [loops.main.feedback]
            follow = { effect = "std:follow", args = ["'\(log.path)'", "'start'"] }
            print  = { effect = "std:print", on = "line", args = ["event.text"] }

            """)
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path])
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
}
