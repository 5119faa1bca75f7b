import Foundation
import TestSupport
import Testing

/// `spinhost dev` and a manifest that changes while its app runs.
@Suite(.timeLimit(.minutes(10))) struct ManifestChangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(suffix: " with spaces") }

    /// An app that counts as long as it is not told to end.
    private func manifest(
        state: String = "n = 0", step: String = "state.n + 1", until: String = "state.n < 0",
        more: String = ""
    ) -> String {
        """
        app.name = "count"
        [loops.main]
        state  = { \(state) }
        events = { ticked = {} }
        until  = "\(until)"
        on.ticked = { set = { n = "\(step)" } }
        [loops.main.feedback.tick]
        effect = "std:every"
        args   = ["duration('10ms')"]
        emits.ticked = { event = "ticked" }
        \(more)

        """
    }

    private func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(
            ["dev", "--once", "--quiet"] + arguments, in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"])
    }

    /// The lines up to the first one that holds the text, that one included.
    private func lines(of program: RunningProgram, until text: String) -> [String] {
        var lines: [String] = []
        repeat { lines.append(program.nextLine()) } while !lines.last!.contains(text) && lines.last != ""
        return lines
    }

    private func count(_ line: String?) throws -> Int {
        let match = try #require(line?.firstMatch(of: #/"n":(\d+)/#), "\(line ?? "")")
        return try #require(Int(match.1))
    }

    @Test func theAppContinues_inItsStates_asTheChangedManifestSays() throws {
        try folder.write("app.toml", manifest())
        let program = try start("--json")
        _ = lines(of: program, until: #""step":3"#)
        try folder.write(
            "app.toml", manifest(state: "n = 0, m = 5", step: "state.n + 1000", until: "state.n > 2000"))
        let before = lines(of: program, until: #"{"swap":"#)
        #expect(before.last == #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#)
        // Steps that were under way, and the first state of the app that follows.
        let between = lines(of: program, until: #""origin":"initial""#)
        let first = try count(between.last)
        #expect(between.last?.contains(#""m":5"#) == true)
        #expect(first >= 3)
        #expect(between.last?.contains(#""step":\#(first),"#) == true, "it is the state that it was")
        // What was told last is where it goes on.
        if let last = (before.dropLast() + between.dropLast()).last(where: { $0.contains(#""n":"#) }) {
            #expect(try count(last) <= first && first < 1000)
        }
        #expect(try count(lines(of: program, until: #""event":"ticked""#).last) == first + 1000)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
    }

    @Test func whatDoesNotFit_isRefused_andTheAppContinues() throws {
        try folder.write("app.toml", manifest())
        let program = try start("--json")
        _ = lines(of: program, until: #""step":1"#)
        for (changed, reason) in [
            (manifest(state: "n = ''", step: "state.n + 'x'", until: "false"), "P090"),
            (manifest(more: "[loops.other]\nstate = { m = 1, m = 2 }"), "T002"),
            (manifest(state: "n = { type = 'int', initial = 0, range = [-5, 0] }"), "P090"),
            ("", ""),
        ] where !changed.isEmpty {
            try folder.write("app.toml", changed)
            let told = lines(of: program, until: #"{"swap":"#).last ?? ""
            #expect(told.hasPrefix(#"{"swap":{"manifest":"app.toml","outcome":"refused","reasons":["#))
            #expect(told.contains(#""code":"\#(reason)""#), "\(told)")
            _ = lines(of: program, until: #""event":"ticked""#)
        }
        try folder.write("app.toml", manifest(until: "state.n > 0"))
        #expect(program.end().status == 0)
    }

    @Test func filesThatItIncludes_areFollowed_alsoThoseThatComeLater() throws {
        try folder.write("parts/first.toml", "config.step = 1\n")
        let include = "include = [\"parts/*.toml\"]\n"
        try folder.write("app.toml", include + manifest(step: "state.n + config.step"))
        let program = try start("--json")
        _ = lines(of: program, until: #""step":1"#)
        // A fault in a file that is included is one of the manifest.
        try folder.write("parts/first.toml", "config.step = ''\n")
        let refused = lines(of: program, until: #"{"swap":"#).last ?? ""
        #expect(
            refused.contains(#""outcome":"refused""#) && refused.contains(#""code":"E013""#), "\(refused)")
        try folder.write("parts/first.toml", "config.step = 1000\n")
        let taken = #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#
        #expect(lines(of: program, until: #"{"swap":"#).last == taken)
        try folder.write("parts/second.toml", "[loops.second]\nstate = { m = 0 }\nevents = {}\n")
        #expect(lines(of: program, until: #""loop":"second""#).contains { $0 == taken })
        program.endInOrder()
    }

    @Test func peopleAreNotified_andTheFaultsShown() throws {
        let ready = """
            [loops.main.feedback.say]
            effect = "std:print"
            args   = ["'ready'"]
            """
        try folder.write("app.toml", manifest(more: ready))
        let program = try start()
        try #require(program.nextLine() == "ready")
        try folder.write("app.toml", manifest(state: "n = 0, m ="))
        try #require(program.waitForErrors("the manifest has changed, but the app continues as before\n"))
        try folder.write("app.toml", manifest(until: "state.n > 0"))
        let end = program.end()
        #expect(end.status == 0)
        #expect(end.errors.contains("error[T001]"), "\(end.errors)")
        #expect(
            end.errors.hasSuffix("the manifest has changed: the app continues with it\n"),
            "\(end.errors)")
    }

    @Test func anAppThatCannotBegin_leavesTheOneBefore() throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        try folder.write("source.c", "// as it was\n")
        _ = try CCompiler().sharedObject(
            """
            #include <spinhost/plugin.h>
            #include <stdlib.h>
            SPIN_PLUGIN("limits", "1.0");
            SPIN_CONFIG((int32_t, most, 3, 0, 100, "The most."));
            struct spin_self { int32_t most; };
            static spin_self *create(spin_call *call, const spin_config *config) {
                if (config->most > 9) { spin_fail(call, SPIN_FAILED, "too much"); return 0; }
                spin_self *self = malloc(sizeof *self);
                self->most = config->most;
                return self;
            }
            static void destroy(spin_self *self) { free(self); }
            SPIN_INSTANCE(create, destroy);
            static int32_t most(spin_self *self) { return self->most; }
            SPIN_EFFECT(int32_t, most, (spin_self *self), "");
            """, in: folder, as: "lib.so", flags: ["-I\(include)"])
        func manifest(_ most: Int, until: String = "state.n < 0") -> String {
            self.manifest(
                until: until,
                more: """
                    [plugins.limits]
                    library = "./lib.so"
                    source  = "source.c"
                    build   = "echo built anew"
                    config  = { most = \(most) }
                    [loops.main.feedback.ask]
                    effect = "limits:most"
                    """)
        }
        try folder.write("app.toml", manifest(3))
        let program = try start("--json")
        _ = lines(of: program, until: #""step":2"#)
        try folder.write("app.toml", manifest(10))
        let told = lines(of: program, until: #""outcome":"#).last ?? ""
        #expect(told.contains(#""outcome":"refused""#), "\(told)")
        #expect(told.contains(#""code":"P060""#), "\(told)")
        _ = lines(of: program, until: #""event":"ticked""#)
        // It is as before: what is saved is built.
        try folder.write("source.c", "// as it is now\n")
        try #require(program.waitForErrors("built anew"))
        try folder.write("app.toml", manifest(4, until: "state.n > 0"))
        #expect(program.end().status == 0)
    }

    @Test func aLibraryThatWasRolledBack_isNotLoadedForAChangedManifest() throws {
        func manifest(_ more: String) -> String {
            NumbersApp.manifest("isolation = \"guarded\"")
                .replacing(#/"dev-.*"/#, with: "\"count\"")
                .replacing("[loops.main.feedback.ask]", with: "[loops.main.feedback.ask]\n\(more)")
        }
        let failure = "on-error = { event = \"answered\", answer = \"0\" }"
        try NumbersApp.compile(1, in: folder)
        try folder.write("app.toml", manifest(failure))
        let program = try start()
        try #require(program.nextLine() == "ready")
        try NumbersApp.compile(2, in: folder, as: "new.so", answer: "*(volatile int32_t *)8")
        try FileManager.default.removeItem(at: folder.url("lib.so"))
        try FileManager.default.moveItem(at: folder.url("new.so"), to: folder.url("lib.so"))
        try #require(program.waitForErrors("swap of `numbers` 1.0 → 2.0 rolled back\n"))
        try folder.write("app.toml", manifest(failure + "\nwhen = \"true\""))
        try #require(program.waitForErrors("the manifest has changed: the app continues with it\n"))
        // The new app has the version that ran, and says why not that of the file.
        try #require(
            program.waitForErrors("error[P084]: this library was rolled back: effect `number` crashed"))
        try NumbersApp.compile(4, in: folder)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
    }
}
