import Foundation
import TestSupport
import Testing

/// `spinhost dev` and a manifest that changes the settings of a plugin.
@Suite(.timeLimit(.minutes(10))) struct ChangedSettingsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(suffix: " with spaces")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(
            """
            #include <spinhost/plugin.h>
            #include <stdlib.h>
            SPIN_PLUGIN("gauge", "1.0");
            SPIN_CONFIG((int32_t, most, 3, "The most."), (spin_secret, key, SPIN_REQUIRED, "The key."));
            struct spin_self { const spin_config *config; };
            static int *volatile nothing;
            static void say(const spin_config *config) {
                spin_log(NULL, SPIN_LOG_WARNING, config->key.data);
                spin_print(config->key.data);
            }
            static spin_self *create(spin_call *call, const spin_config *config) {
                say(config);
                spin_self *self = malloc(sizeof *self);
                self->config = config;
                return self;
            }
            static void destroy(spin_self *self) { free(self); }
            SPIN_INSTANCE(create, destroy);
            static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                                           const spin_config *config) {
                say(config);
                if (config->most == 66)
                    *nothing = 1;
                if (config->most > 9)
                    return spin_fail(call, -3, config->key.data);
                self->config = config;
                return SPIN_OK;
            }
            SPIN_RECONFIGURE(reconfigure);
            static int32_t most(spin_self *self) { return self->config->most; }
            SPIN_EFFECT(int32_t, most, (spin_self *self), "");
            """, in: folder, as: "lib.so", flags: ["-I\(include)"])
        try folder.write("key.txt", "the key is sesame\n")
    }

    private func manifest(_ most: Int, until: String = "false") -> String {
        """
        app.name = "gauge"
        [plugins.gauge]
        library = "./lib.so"
        config  = { most = \(most), key = { file = "key.txt" } }
        [loops.main]
        state  = { n = 0 }
        events = { ticked = {}, asked = { n = "int" } }
        until  = "\(until)"
        on.asked = { set = { n = "event.n" } }
        [loops.main.feedback.tick]
        effect = "std:every"
        args   = ["duration('10ms')"]
        emits.ticked = { event = "ticked" }
        [loops.main.feedback.ask]
        effect = "gauge:most"
        on     = ["ticked"]
        emit   = { event = "asked", n = "result" }

        """
    }

    private func start(_ arguments: String...) throws -> RunningProgram {
        try folder.write("app.toml", manifest(3))
        return try RunningProgram(
            ["dev", "--once"] + arguments, in: folder.root,
            environment: [
                "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    private func change(_ most: Int, until: String = "false") throws {
        try folder.write("app.toml", manifest(most, until: until))
    }

    private func lines(of program: RunningProgram, until text: String) -> [String] {
        var lines: [String] = []
        repeat { lines.append(program.nextLine()) } while !lines.last!.contains(text) && lines.last != ""
        return lines
    }

    @Test func aLineSaysWhatHappened_andNoLineShowsASecret() throws {
        let program = try start("--quiet")
        try #require(program.nextLine() == "<secret>")
        try folder.write("key.txt", "another key: barley\n")
        try change(4)
        try #require(program.waitForErrors("`gauge of main` has taken over its changed settings\n"))
        #expect(program.nextLine() == "<secret>")
        try change(10, until: "state.n == 10")
        let end = program.end()
        #expect(end.status == 0)
        let told = """
            the manifest has changed: the app continues with it
            `gauge of main` has taken over its changed settings
            warning: plugin `gauge`: <secret>
            warning: plugin `gauge`: <secret>
            the manifest has changed: the app continues with it
            `gauge of main` was made again with its changed settings: `gauge` does not take over its changed settings: <secret>

            """
        #expect(end.errors.hasSuffix(told), "\(end.errors)")
        #expect(!end.errors.contains("sesame") && !end.errors.contains("barley"))
    }

    @Test func programsAreTold() throws {
        let program = try start("--json", "--quiet")
        _ = lines(of: program, until: #""event":"asked""#)
        try change(4)
        #expect(
            lines(of: program, until: #"{"swap":"#).last
                == #"{"swap":{"manifest":"app.toml","outcome":"swapped","settings":[{"instance":"gauge of main","outcome":"accepted"}]}}"#
        )
        try change(10, until: "state.n == 10")
        #expect(
            lines(of: program, until: #"{"swap":"#).last
                == #"{"swap":{"manifest":"app.toml","outcome":"swapped","settings":[{"instance":"gauge of main","outcome":"made again","reason":"`gauge` does not take over its changed settings: <secret>"}]}}"#
        )
        #expect(program.end().status == 0)
    }

    @Test func aCrash_isReported_andEndsTheProcessAsEver() throws {
        let program = try start("--quiet")
        try #require(program.nextLine() == "<secret>")
        try change(66)
        let end = program.end()
        #expect(end.status == SIGSEGV || end.status == 128 + SIGSEGV, "\(end.status)")
        #expect(
            end.errors.contains(
                "fatal: SIGSEGV at address 0x0 in function `reconfigure` of plugin `gauge` 1.0\n"),
            "\(end.errors)")
    }

    @Test func checkAndInfo_showThatASettingIsSecret_andNoValue() throws {
        try folder.write("app.toml", manifest(3))
        let good = try Spinhost.run("check", in: folder)
        #expect(good.status == 0, "\(good.errors)")
        let info = try Spinhost.run("plugin", "info", "lib.so", in: folder)
        #expect(info.output.contains("setting  secret key, required\n         The key.\n"), "\(info.output)")
        #expect(info.output.contains("changes  of settings reach a running instance\n"), "\(info.output)")
        for (given, type) in [
            ("\"sesame and more\"", "string"), ("123456789", "integer"), ("{ a = 1 }", "table"),
        ] {
            try folder.write("app.toml", manifest(3).replacing("{ file = \"key.txt\" }", with: given))
            let bad = try Spinhost.run("check", in: folder)
            #expect(bad.status == 1, "\(type)")
            #expect(
                bad.errors.contains("error[M461]: the value of `key` is a secret, but the manifest has it\n"),
                "\(bad.errors)")
            #expect(!bad.errors.contains("sesame") && !bad.errors.contains("123456789"), "\(bad.errors)")
        }
        try folder.write("app.toml", manifest(3).replacing(", key = { file = \"key.txt\" }", with: ""))
        #expect(try Spinhost.run("check", in: folder).errors.contains("needs its setting `key`"))
        for command in ["graph", "schema"] {
            try folder.write("app.toml", manifest(3))
            #expect(!(try Spinhost.run(command, in: folder).output.contains("sesame")))
        }
    }
}
