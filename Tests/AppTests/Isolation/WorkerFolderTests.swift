import App
import Foundation
import TestSupport
import Testing

/// The private folder of a worker.
@Suite(.timeLimit(.minutes(10)))
struct WorkerFolderTests {
    private static let library = Result {
        try CompiledPlugin(
            """
            #include <dirent.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <unistd.h>
            long look(const char *folder) {
                DIR *opened = opendir(folder);
                if (opened == NULL)
                    return errno;
                closedir(opened);
                return 0;
            }
            long make(const char *file) {
                int made = open(file, O_CREAT | O_RDWR, 0600);
                if (made < 0)
                    return errno;
                close(made);
                return 0;
            }
            """)
    }

    /// An app that calls a function once, and ends with its result.
    private static func manifest(_ library: String, _ call: String, _ path: String) -> String {
        """
        [plugins.files]
        library   = "\(library)"
        isolation = "process"
        declares  = "long look(const char *folder); long make(const char *file);"
        [loops.main]
        state   = { error = -1 }
        events  = { done = { error = "int" } }
        until   = "state.error >= 0"
        on.done = { set = { error = "event.error" } }
        [loops.main.feedback]
        use = { effect = "files:\(call)", args = ["'\(path)'"], emit = { event = "done", error = "result" } }

        """
    }

    private func result(of call: String, _ path: String) async throws -> String? {
        let run = RecordedRun()
        _ = try await run.run(Self.manifest("./lib.so", call, path), plugin: try Self.library.get())
        return run.steps.last
    }

    @Test func itIsReadAndWritten() async throws {
        #expect(try await result(of: "look", ".")?.contains(#""error":0"#) == true)
        #expect(try await result(of: "make", "new")?.contains(#""error":0"#) == true)
    }

    @Test func itGoesWithTheApp() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml", Self.manifest(try Self.library.get().file.path, "make", "new"))
        let temporary = folder.url("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
        let outcome = try Shell.run(
            Project.spinhost, ["run", "--quiet", "--manifest", manifest],
            environment: ["TMPDIR": temporary.path])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    /// It has those of all workers of the app.
    @Test func theFolderAboveIt_isClosed() async throws {
        #expect(try await result(of: "look", "..")?.contains(#""error":\#(EACCES)"#) == true)
        #expect(try await result(of: "make", "../new")?.contains(#""error":\#(EACCES)"#) == true)
    }
}
