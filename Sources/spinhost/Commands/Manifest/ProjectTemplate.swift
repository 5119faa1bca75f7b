import Manifest

/// The files of `spinhost new`: a project that is ready to run.
enum ProjectTemplate: String, CaseIterable {
    case minimal, c, swift, pipeline

    /// The command to type in the project's folder.
    var command: String {
        switch self {
        case .minimal: "spinhost"
        case .c, .swift: "make && spinhost"
        case .pipeline: "printf 'one\\ntwo words\\n' | spinhost"
        }
    }

    /// The files of a project of that name.
    func files(_ name: String) -> [ProjectFolder.File] {
        var files = [
            ProjectFolder.File(name: "app.toml", text: manifest(name)),
            ProjectFolder.File(
                name: "spinhost.schema.json", text: IndentedJSON.text(of: ManifestSchema.document) + "\n"),
            ProjectFolder.File(name: "README.md", text: readme(name)),
        ]
        switch self {
        case .minimal, .pipeline: break
        case .c:
            files.append(
                ProjectFolder.File(
                    name: "half.c",
                    text: "// An effect is a function and nothing else; `app.toml` declares it.\n"
                        + "long half(long n) { return n / 2; }\n"))
            files.append(
                ProjectFolder.File(
                    name: "Makefile",
                    text: "half.so: half.c\n\t$(CC) -O2 -Wall -Wextra -shared -fPIC -o $@ $<\n"))
        case .swift:
            files.append(
                ProjectFolder.File(
                    name: "half.swift",
                    text: "/// An effect is a function and nothing else; `app.toml` declares it.\n"
                        + "@c public func half(_ n: Int) -> Int { n / 2 }\n"))
            files.append(
                ProjectFolder.File(
                    name: "Makefile",
                    text: "half.so: half.swift\n\tswiftc -O -parse-as-library -emit-library -o $@ $<\n"))
        }
        return files
    }

    private func manifest(_ name: String) -> String {
        let loops =
            switch self {
            case .minimal: Self.countdown
            case .c, .swift: Self.halves.replacing("SOURCE", with: source)
            case .pipeline: Self.counts
            }
        return "#:schema ./spinhost.schema.json\napp.name = \"\(name)\"\n\n\(loops)\n"
    }

    // The comment after it starts in the column of all others.
    private var source: String {
        let text = "\"half.\(rawValue)\""
        return text + String(repeating: " ", count: 30 - text.count)
    }

    private static let countdown = """
        [loops.main]
        state  = { left = 3 }                    # a literal gives both type and initial value
        events = { ticked = {} }
        until  = "state.left == 0"               # the loop is done when this is true

        [loops.main.on]                          # the reducer: what each event does
        ticked = { set = { left = "state.left - 1" } }

        [loops.main.feedback]                    # the effects, and when they run
        clock = { effect = "std:every", args = ["200ms"], emit = { event = "ticked" } }
        say   = { effect = "std:print", args = ["string(state.left)"] }

        [[tests]]                                # `spinhost test`
        name   = "a tick counts down"
        events = [{ ticked = {} }]
        expect = { left = 2 }
        """

    private static let halves = """
        [plugins.half]
        library  = "half.so"
        declares = "long half(long n);"
        source   = SOURCE# `spinhost dev` builds it when you save it
        build    = "make"

        [loops.main]
        state  = { n = 1000 }                    # a literal gives both type and initial value
        events = { halved = { to = "int" } }
        until  = "state.n == 0"                  # the loop is done when this is true

        [loops.main.on]                          # the reducer: what each event does
        halved = { set = { n = "event.to" } }

        [loops.main.feedback]                    # the effects, which run when what they read has changed
        half = { effect = "half:half", args = ["state.n"], emit = { event = "halved", to = "result" } }

        [[tests]]                                # `spinhost test`, which needs no library
        name   = "takes the half"
        events = [{ halved = { to = 500 } }]
        expect = { n = 500 }
        """

    private static let counts = """
        [loops.main]
        state  = { lines = 0, words = 0, has_ended = false, is_done = false }
        events = { line = { text = "string" }, ended = { lines = "int" }, printed = {} }
        until  = "state.is_done"                 # the loop is done when this is true

        [loops.main.on]                          # the reducer: what each event does
        line    = { set = { lines = "state.lines + 1", words = "state.words + size(event.text.split(' '))" } }
        ended   = { set = { has_ended = "true" } }
        printed = { set = { is_done = "true" } }

        [loops.main.feedback.read]               # what it emits, `line` and `ended`, are events of the same names
        effect = "std:lines"
        args   = ["'-'"]                         # the standard input

        [loops.main.feedback.report]
        effect = "std:print"
        when   = "state.has_ended"
        args   = ["'%d lines, %d words'.format([state.lines, state.words])"]
        emit   = { event = "printed" }

        [[tests]]                                # `spinhost test`
        name   = "counts words"
        events = [{ line = { text = "one" } }, { line = { text = "two words" } }]
        expect = { lines = 2, words = 3 }
        """

    /// What else there is to type in a project with sources.
    private var development: String {
        switch self {
        case .minimal, .pipeline: ""
        case .c, .swift:
            "\n    spinhost dev            # builds and runs it, and uses what you save in `half.\(rawValue)` or `app.toml` at once"
        }
    }

    private func readme(_ name: String) -> String {
        """
        # \(name)

        `app.toml` is the program: its state, its events and what each does, and its effects. In this folder:

            \(command)\(development)
            spinhost test
            spinhost check
            spinhost fmt
            spinhost graph

        Editors that know TOML complete the manifest with `spinhost.schema.json`; `spinhost schema` prints a newer one.

        """
    }
}
