import Foundation
import Glibc
import TestSupport
import Testing

/// `spinhost dev` and builds that a changed manifest, or the end, comes in between.
@Suite(.timeLimit(.minutes(10))) struct DevBuilderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["numbers.c", "other.c"] { try folder.write(name, NumbersApp.source(1)) }
    }

    /// An app whose plugin is built from `numbers.c`, after what these lines do.
    private func manifest(_ lines: String) -> String {
        NumbersApp.manifest(
            #"""
            source = "numbers.c"
            build  = """
            \#(lines)
            cc -I"$INCLUDE" -shared -fPIC -o lib.so numbers.c; status=$?
            rm -rf building; exit $status"""
            """#)
    }

    private func start() throws -> RunningProgram {
        try RunningProgram(
            ["dev", "--once", "--quiet"], in: folder.root, environment: ["INCLUDE": NumbersApp.include])
    }

    private var builds: Int {
        ((try? String(contentsOf: folder.url("builds"), encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    @Test(arguments: [false, true])
    func aSourceAndTheManifest_areSavedTogether_orDuringTheBuild_andItIsBuiltOnce(
        isDuringTheBuild: Bool
    ) throws {
        // The build lasts longer than it takes to see that the manifest has changed, and ends badly if another one runs.
        let text = manifest("mkdir building || exit 9; echo built >> builds; [ ! -e lib.so ] || sleep 1")
        try folder.write("app.toml", text)
        let program = try start()
        try #require(program.nextLine() == "ready")
        try folder.write("numbers.c", NumbersApp.source(2))
        if isDuringTheBuild { try blockUntil { builds == 2 } }
        try folder.write("app.toml", text + "# It has changed.\n")
        try #require(program.waitForErrors("the manifest has changed: the app continues with it\n"))
        #expect(builds == 2)
        try folder.write("numbers.c", NumbersApp.source(4))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(!end.errors.contains("failed"), "\(end.errors)")
        #expect(builds == 3)
    }

    /// Lines that a build never comes back from; it says who runs.
    private func hanging(_ trap: String, if condition: String) -> String {
        "if \(condition); then \(trap)sleep 1000 & echo $! $$ > pids; echo hangs; wait; fi"
    }

    /// Interrupts the program, which ends, and with it all that was started.
    private func interrupt(_ program: RunningProgram) throws {
        try #require(program.waitForErrors("hangs\n"))
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(!end.errors.contains("failed"), "\(end.errors)")
        let text = try String(contentsOf: folder.url("pids"), encoding: .utf8)
        let pids = text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
        #expect(pids.count == 2)
        for pid in pids { try blockUntil { Self.isGone(pid) } }
    }

    /// Whether a process that nobody waits for has ended.
    static func isGone(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { $0.contains(") Z ") || $0.contains(") X ") } ?? true
    }

    @Test(arguments: ["", "trap '' TERM; "])
    func aBuildForAChangedManifest_endsWithTheApp(_ trap: String) throws {
        let text = manifest(hanging(trap, if: "[ -e lib.so ]"))
        try folder.write("app.toml", text)
        let program = try start()
        try #require(program.nextLine() == "ready")
        // Only the changed manifest names it.
        try folder.write("other.c", NumbersApp.source(2))
        try folder.write("app.toml", text.replacing("source = \"numbers.c\"", with: "source = \"other.c\""))
        try interrupt(program)
    }

    @Test func aBuildsChildThatDoesNotListen_isKilled_whenItsShellHasEnded() throws {
        let child = "(trap '' TERM; touch deaf; exec sleep 1000) & echo $! $$ > pids"
        let shell = "while [ ! -e deaf ]; do sleep 0.01; done; echo hangs; wait"
        try folder.write("app.toml", manifest("\(child); \(shell)"))
        try interrupt(try start())
    }

    @Test func aBuildThatDoesNotListen_isKilled_alsoBeforeTheAppBegins() throws {
        try folder.write("app.toml", manifest(hanging("trap '' TERM; ", if: "true")))
        try interrupt(try start())
    }
}
