import Foundation
import TestSupport
import Testing

/// `spinhost dev` and a manifest whose records change, with plugins that were compiled with them.
@Suite(.timeLimit(.minutes(10))) struct ChangedRecordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(suffix: " with spaces") }

    /// An app that counts in C as long as it is not told to end.
    private func manifest(
        _ state: String, build: String? = header + compiler, until: String = "state.n < 0"
    ) -> String {
        """
        app.name = "records"
        [plugins.count]
        library = "./count.so"
        \(build.map { "source = \"count.c\"\nbuild = '\($0)'" } ?? "")
        [loops.main]
        state   = { \(state) }
        events  = { ticked = {} }
        until   = "\(until)"
        reducer = "count:reduce"
        [loops.main.feedback.tick]
        effect = "std:every"
        args   = ["duration('10ms')"]
        emits.ticked = { event = "ticked" }

        """
    }

    private static let header = #""$SPINHOST" header -o app.h && "#
    private static let compiler =
        #"cc -I"$INCLUDE" -shared -fPIC -o count.so count.c && echo built >> builds"#

    private func source(_ statement: String) -> String {
        """
        #include "app.h"
        SPIN_PLUGIN("count", "1.0");
        static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
            (void)step, (void)event;
            \(statement);
            return SPIN_OK;
        }
        SPIN_REDUCER(reduce, main_state, main_event, "");
        """
    }

    private var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1", "INCLUDE": NumbersApp.include,
            "SPINHOST": Project.spinhost,
        ]
    }

    private func start() throws -> RunningProgram {
        try RunningProgram(["dev", "--once", "--json"], in: folder.root, environment: environment)
    }

    /// Starts the app with a state that is `n` alone.
    private func begin() throws -> RunningProgram {
        try folder.write("count.c", source("state->n += 1"))
        try folder.write("app.toml", manifest("n = 0"))
        return try start()
    }

    private var builds: Int {
        ((try? String(contentsOf: folder.url("builds"), encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    private func number(_ field: String, in line: String?) throws -> Int {
        let match = try #require(line?.firstMatch(of: try Regex("\"\(field)\":(\\d+)")), "\(line ?? "")")
        return try #require(Int(match.output[1].substring ?? ""))
    }

    /// Requires that the app goes on with the manifest and the library that was built with it; the state that it begins with.
    private func goesOn(_ program: RunningProgram, after text: String? = nil) throws -> String {
        if let text { try folder.write("app.toml", text) }
        let told = program.nextLine(with: #"{"swap":"#)
        #expect(told == #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#)
        return program.nextLine(with: #""origin":"initial""#)
    }

    /// The app ends for itself.
    private func end(_ program: RunningProgram) {
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
    }

    @Test func aChangedRecord_buildsThePlugin_andBothChangeAtOnce() throws {
        let program = try begin()
        let last = try number("n", in: program.nextLine(with: #""step":3"#))
        // The first of the fields is another one, so that the old library would count that.
        let first = try goesOn(program, after: manifest("m = 100, n = 0"))
        #expect(try number("m", in: first) == 100)
        #expect(try number("n", in: first) >= last)
        let next = program.nextLine(with: #""event":"ticked""#)
        #expect(try number("m", in: next) == 100)
        #expect(try number("n", in: next) == number("n", in: first) + 1)
        #expect(builds == 2)
        try folder.write("app.toml", manifest("m = 100, n = 0", until: "state.n > 0"))
        end(program)
        #expect(builds == 2)
    }

    @Test func aSourceThatDoesNotFitYet_isAwaited() throws {
        let program = try begin()
        _ = program.nextLine(with: #""step":3"#)
        try folder.write("app.toml", manifest("count = 0, sum = 5", until: "state.sum < 0"))
        let failed = program.nextLine(with: #"{"build":"#)
        #expect(failed == #"{"build":{"plugin":"count","outcome":"failed","reason":"exit code 1"}}"#)
        let refused = program.nextLine(with: #"{"swap":"#)
        #expect(refused.hasPrefix(#"{"swap":{"manifest":"app.toml","outcome":"refused","reasons":["#))
        #expect(refused.contains(#""code":"P017""#), "\(refused)")
        // As it was.
        let before = program.nextLine(with: #""event":"ticked""#)
        #expect(try number("n", in: before) > 0)
        try folder.write("count.c", source("state->count += 2"))
        let first = try goesOn(program)
        #expect(first.contains(#"{"count":0,"sum":5}"#), "\(first)")
        let next = program.nextLine(with: #""event":"ticked""#)
        #expect(next.contains(#"{"count":2,"sum":5}"#), "\(next)")
        try folder.write("app.toml", manifest("count = 0, sum = 5", until: "state.sum == 5"))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("count.c:5:"), "\(end.errors)")
    }

    @Test func aLibraryThatIsBuiltByHand_isAwaited() throws {
        func build() throws {
            let outcome = try Shell.run(
                "sh", ["-ec", Self.header + Self.compiler], in: folder.root, environment: environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try folder.write("count.c", source("state->n += 1"))
        try folder.write("app.toml", manifest("n = 0", build: nil))
        try build()
        let program = try start()
        _ = program.nextLine(with: #""step":3"#)
        try folder.write("app.toml", manifest("m = 100, n = 0", build: nil))
        let refused = program.nextLine(with: #"{"swap":"#)
        #expect(refused.contains(#""code":"P017""#), "\(refused)")
        try build()
        #expect(try number("m", in: try goesOn(program)) == 100)
        try folder.write("app.toml", manifest("m = 100, n = 0", build: nil, until: "state.n > 0"))
        end(program)
    }

    /// The library fits in the end, so the manifest must still be waiting for it.
    @Test func aSourceThatIsEmptyMeanwhile_doesNotEndTheWaitForALibrary() throws {
        func build(_ header: String = "") throws {
            try folder.write("other.c", source("state->n += 1"))
            let outcome = try Shell.run(
                "sh", ["-ec", header + Self.compiler.replacing("count.c", with: "other.c")], in: folder.root,
                environment: environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try folder.write("count.c", source("state->n += 1"))
        try folder.write("app.toml", manifest("n = 0", build: Self.compiler))
        #expect(try Spinhost.run("header", "-o", "app.h", in: folder).status == 0)
        let program = try start()
        _ = program.nextLine(with: #""step":3"#)
        try folder.write("app.toml", manifest("m = 100, n = 0", build: Self.compiler))
        #expect(program.nextLine(with: #"{"swap":"#).contains(#""code":"P017""#))
        try folder.write("count.c", "")
        // Another library of the same records: the manifest is tried again, and its source is empty. `dev` may have
        // built that source before, and refused what came of it.
        try build("echo 'int another;' >> app.h; ")
        #expect(program.nextLine(with: #""plugin":"count""#).contains(#"{"swap":"#))
        try folder.write("count.c", source("state->n += 1"))
        try build(Self.header)
        // `dev` may build the saved source before the header is there, and swap the plugin alone first.
        let told = program.nextLine(with: #"{"swap":{"manifest""#)
        #expect(told == #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#)
        let first = program.nextLine(with: #""origin":"initial""#)
        #expect(try number("m", in: first) == 100)
        try folder.write("app.toml", manifest("m = 100, n = 0", build: Self.compiler, until: "state.n > 0"))
        end(program)
    }

    @Test func aBuildThatWritesNoHeader_isDoneOnce_andTheManifestRefusedOnce() throws {
        try folder.write("count.c", source("state->n += 1"))
        try folder.write("app.toml", manifest("n = 0", build: Self.compiler))
        #expect(try Spinhost.run("header", "-o", "app.h", in: folder).status == 0)
        let program = try start()
        _ = program.nextLine(with: #""step":3"#)
        try folder.write("app.toml", manifest("m = 100, n = 0", build: Self.compiler))
        let refused = program.nextLine(with: #"{"swap":"#)
        #expect(refused.contains(#""code":"P017""#), "\(refused)")
        #expect(builds == 2)
        // The app that runs is developed further meanwhile, as its manifest says.
        try folder.write("count.c", source("state->n += 1000"))
        let swap = program.nextLine(with: #"{"swap":"#)
        #expect(swap.contains(#""plugin":"count""#) && swap.contains(#""outcome":"swapped""#), "\(swap)")
        #expect(builds == 3)
        _ = try goesOn(program, after: manifest("m = 100, n = 0", until: "state.n > 0"))
        end(program)
    }

    @Test func anAppThatBegins_hasLibrariesOfOtherRecordsBuilt() throws {
        try folder.write("count.c", source("state->n += 1"))
        try folder.write("app.toml", manifest("n = 0", until: "state.n > 2"))
        end(try start())
        try folder.write("app.toml", manifest("m = 100, n = 0", until: "state.n > 2"))
        let program = try start()
        _ = program.nextLine(with: #"{"m":100,"n":3}"#)
        end(program)
        #expect(builds == 2)
    }

    @Test func whenTheStateDoesNotFit_theAppContinuesWithTheLibraryItHas() throws {
        let program = try begin()
        _ = program.nextLine(with: #""step":3"#)
        try folder.write("app.toml", manifest("n = 0.5"))
        let refused = program.nextLine(with: #"{"swap":"#)
        #expect(refused.contains(#""code":"P090""#), "\(refused)")
        // It was built for the manifest, which is not in force.
        let swap = program.nextLine(with: #"{"swap":"#)
        #expect(swap.contains(#""plugin":"count""#) && swap.contains(#""outcome":"refused""#), "\(swap)")
        #expect(swap.contains(#""code":"P017""#), "\(swap)")
        let first = try number("n", in: program.nextLine(with: #""event":"ticked""#))
        let next = try number("n", in: program.nextLine(with: #""event":"ticked""#))
        #expect(next == first + 1)
        try folder.write("app.toml", manifest("n = 0", until: "state.n > 0"))
        _ = try goesOn(program)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
    }
}
