import TestSupport
import Testing

/// A folder with `run.journal`, made of lines that a test writes, so that positions and times are known.
struct RecordedJournal {
    let folder: TemporaryFolder

    /// Two loops whose field `n` an event `set` sets, and whose field `name` stays.
    static let manifest = """
        app.name = "two"
        [loops.a]
        state  = { n = 0, name = "apple" }
        events = { set = { n = "int" } }
        on.set = { set = { n = "event.n" } }
        [loops.b]
        state  = { n = 0 }
        events = { set = { n = "int" } }
        on.set = { set = { n = "event.n" } }

        """

    /// By position, after the first one, which the epoch has.
    static let lines = [
        ("a", 0, "2026-11-23T11:44:20Z"), ("b", 0, "2026-11-23T11:44:20Z"),
        ("a", 1, "2026-11-23T11:44:23.25Z"), ("b", 1, "2026-11-23T11:44:23.5Z"),
        ("a", 2, "2026-11-23T11:44:24Z"), ("a", 3, "2026-11-24T08:00:00Z"),
    ]

    init(_ lines: [(loop: String, n: Int, time: String)] = lines, name: String = "apple") throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        try add("run.journal", lines, name: name)
    }

    /// Makes another journal.
    func add(
        _ file: String, _ lines: [(loop: String, n: Int, time: String)], name: String = "apple"
    ) throws {
        let recording = lines.map { line in
            let event = line.n == 0 ? "" : #""event":"set","payload":{"n":\#(line.n)},"#
            let rest = line.loop == "a" ? #","name":"\#(name)""# : ""
            return """
                {"loop":"\(line.loop)","step":\(line.n),\(event)"state":{"n":\(line.n)\(rest)},\
                "origin":"\(line.n == 0 ? "initial" : "external")","time":"\(line.time)"}

                """
        }
        let outcome = try Spinhost.run(
            "journal", "import", "-", "--to", file, in: folder, input: recording.joined())
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    func run(_ arguments: String..., zone: String = "UTC") throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, ["journal"] + arguments, in: folder.root,
            environment: ["TZ": zone, "NO_COLOR": "1"])
    }
}
