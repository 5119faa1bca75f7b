import Foundation
import Testing
import TestSupport

/// Where libraries and the functions of their manifests' keys are looked up.
struct LibraryUseTests {
    private static let source = """
        #define _POSIX_C_SOURCE 200809L
        #include <string.h>
        char *greet(const char *name) { return strdup(name); }
        """

    private func app(library: String = "greet.so", app: String = "", free: String = "") -> String {
        """
        \(app)
        [plugins.lib]
        library  = "\(library)"
        declares = "char *greet(const char *name);"
        \(free)
        [loops.main]
        state  = { text = "" }
        events = { greeted = { text = "string?" } }
        until  = "state.text != ''"
        [loops.main.on]
        greeted = { set = { text = "event.text" } }
        [loops.main.feedback.greet]
        effect = "lib:greet"
        args   = ["'hello'"]
        emit   = { event = "greeted", text = "result" }

        """
    }

    @Test func freeOfTheCLibrary_isFoundThroughTheLibrary() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(Self.source, in: folder, as: "greet.so")
        try folder.write("app.toml", app(free: "free = \"free\""))
        #expect(try Spinhost.run("check", in: folder).errors == "")
        let outcome = try Spinhost.run("--steps", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("text = \"\""), "\(outcome.output)")
    }

    @Test func functionThatFrees_whenNoLibraryHasIt_isShownAtItsKey() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            Self.source, in: folder, as: "greet.so", flags: ["-Wl,--no-as-needed"])
        try folder.write("app.toml", app(free: "free = \"freee\""))
        let outcome = try Spinhost.run(in: folder)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains(" --> app.toml:5:8\n"), "\(outcome.errors)")
        #expect(outcome.errors.contains("`freee`"), "\(outcome.errors)")
        #expect(outcome.output == "")
    }

    @Test func fileBesideTheManifest_isFound_alsoWithAPluginPath() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(Self.source, in: folder, as: "greet.so")
        try folder.write("app.toml", app(app: "app.plugin-path = [\"elsewhere\"]"))
        let outcome = try Spinhost.run(in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func missingLibrary_isSaidWithThePlaceWhereItWouldBe() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", app(library: "half.so"))
        let outcome = try Spinhost.run(in: folder)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("there is no library `half.so`"), "\(outcome.errors)")
        #expect(outcome.errors.contains("there is no `./half.so` beside the manifest"), "\(outcome.errors)")
    }
}
