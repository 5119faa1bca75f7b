import Interfaces
import Manifest
import Records

/// The files of `spinhost plugin new`: a plugin that builds, passes its tests and runs in an app.
struct PluginTemplate {
    /// The command that builds and tests it, to type in the folder.
    static let build = "cmake --workflow --preset default"

    let name: String
    let language: PluginLanguage

    /// The files.
    ///
    /// - Parameters:
    ///   - program: the path of the host; nil to let CMake find it.
    ///   - prefix: the folder of the host's CMake package; nil if it is unknown.
    func files(program: String?, prefix: String?) -> [ProjectFolder.File] {
        [
            ProjectFolder.File(name: "CMakeLists.txt", text: cmake),
            ProjectFolder.File(
                name: "CMakeUserPresets.json",
                text: IndentedJSON.text(of: Self.presets(program: program, prefix: prefix)) + "\n"),
            ProjectFolder.File(
                name: ".gitignore", text: "/build/\n/CMakeUserPresets.json\n" + language.ignored),
            ProjectFolder.File(name: "app.toml", text: manifest),
            ProjectFolder.File(
                name: "spinhost.schema.json", text: IndentedJSON.text(of: ManifestSchema.document) + "\n"),
            ProjectFolder.File(name: "README.md", text: readme),
        ] + PluginSource.files(language, plugin: name)
    }

    private var cmake: String {
        """
        cmake_minimum_required(VERSION 3.25)
        project(\(name) LANGUAGES \(language.cmakeLanguages))
        \(language.cmakeSettings)
        find_package(Spinhost \(ABIVersion.host) REQUIRED)
        \(language.cmakePlugin(name))

        # The tests: an effect, the rules for plugins, then the app that uses it, without and with the plugin.
        enable_testing()
        find_program(SPINHOST spinhost REQUIRED DOC "the host")
        set(plugin "${PROJECT_BINARY_DIR}/\(name).so")
        add_test(NAME count COMMAND "${SPINHOST}" call "${plugin}" "int64_t count(spin_string text)" " two  words ")
        set_tests_properties(count PROPERTIES PASS_REGULAR_EXPRESSION "result = 2\\n")
        add_test(NAME rules COMMAND "${SPINHOST}" plugin check "${plugin}" --call)
        set(app --manifest "${PROJECT_SOURCE_DIR}/app.toml")
        add_test(NAME check COMMAND "${SPINHOST}" check ${app})
        add_test(NAME test COMMAND "${SPINHOST}" test ${app})
        add_test(NAME run COMMAND "${SPINHOST}" run ${app})

        """
    }

    /// The CMake presets for this machine (`cmake-presets(7)`).
    private static func presets(program: String?, prefix: String?) -> Value {
        // Leaves out unknown paths, and paths with `;`, which separates the elements of a CMake list.
        let found = [("CMAKE_PREFIX_PATH", prefix), ("SPINHOST", program)].compactMap { name, path in
            path.flatMap {
                $0.contains(";") ? nil : (name, Value.string($0.replacing("$", with: "${dollar}")))
            }
        }
        func preset(_ fields: [(String, Value)]) -> Value {
            .list([.record([("name", .string("default"))] + fields)])
        }
        func step(_ type: String) -> Value {
            .record([("type", .string(type)), ("name", .string("default"))])
        }
        let configured = ("configurePreset", Value.string("default"))
        return .record([
            ("version", .int(6)),
            (
                "configurePresets",
                preset([
                    ("generator", .string("Ninja")), ("binaryDir", .string("${sourceDir}/build")),
                    (
                        "cacheVariables",
                        .record([("CMAKE_BUILD_TYPE", .string("RelWithDebInfo"))] + found)
                    ),
                ])
            ),
            ("buildPresets", preset([configured])),
            (
                "testPresets",
                preset([configured, ("output", .record([("outputOnFailure", .bool(true))]))])
            ),
            ("workflowPresets", preset([("steps", .list(["configure", "build", "test"].map(step)))])),
        ])
    }

    private var manifest: String {
        """
        #:schema ./spinhost.schema.json
        app.name = "\(name)"

        [plugins.\(name)]
        library = "build/\(name).so"
        source  = "\(language.source)"

        [loops.main]
        state  = { text = "one two three", words = 0, seen = 0, longest = "" }
        events = { counted = { words = "int" }, word = { text = "string" } }
        until  = "state.words > 0 && state.seen == state.words"

        [loops.main.on]                          # the reducer: what each event does
        counted = { set = { words = "event.words" } }

        [loops.main.on.word.set]
        seen    = "state.seen + 1"
        longest = "size(event.text) > size(state.longest) ? event.text : state.longest"

        [loops.main.feedback.count]              # runs when what it reads has changed
        effect = "\(name):count"
        args   = ["state.text"]
        emit   = { event = "counted", words = "result" }

        [loops.main.feedback.split]              # what it emits, `word`, is the event of that name
        effect = "\(name):split"
        args   = ["state.text"]

        [[tests]]                                # `spinhost test`, which needs no plugin
        name   = "keeps the longest word"
        events = [{ word = { text = "one" } }, { word = { text = "three" } }, { word = { text = "two" } }]
        expect = { seen = 3, longest = "three" }

        [[tests]]
        name    = "counts"
        effects = { count = "3" }                # a test double for the effect
        expect  = { words = 3 }

        """
    }

    private var readme: String {
        """
        # \(name)

        A plugin for spinhost. `\(language.source)` has its effects, `app.toml` is an app that uses them. To build it and run the tests:

            \(Self.build)

        `CMakeUserPresets.json` says where spinhost is on the machine that made this. Elsewhere, with spinhost on the `PATH`:

            cmake -G Ninja -B build        # where its CMake package is not found: -DCMAKE_PREFIX_PATH=FOLDER
            cmake --build build
            ctest --test-dir build
        \(language.buildWithoutCMake)
        Then, in this folder:

            spinhost
            spinhost dev           # builds and runs it, and uses what you save in `\(language.source)` or `app.toml` at once
            spinhost test
            spinhost plugin info build/\(name).so
            spinhost plugin check build/\(name).so --call

        """
    }
}
