import Foundation
import TestSupport
import Testing

/// `spinhost dev` with a journal.
@Suite(.timeLimit(.minutes(10))) struct DevJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A loop that counts to `last`, and one that gets each number as a message.
    private func manifest(_ more: String = "", last: Int = 1_000_000, n: String = "n = 0") -> String {
        """
        app.name = "count"
        [gears.mail]
        messages = { note = { n = "int" } }
        [loops.source]
        state  = { \(n)\(more) }
        events = { tick = {} }
        until  = "state.n == \(last)"
        on.tick = { set = { n = "state.n + 1" } }
        [loops.source.feedback]
        clock = { effect = "std:every", args = ["1ms"], emit = { event = "tick" } }
        tell  = { on = "tick", send = { gear = "mail", message = "note", n = "state.n" } }
        [loops.sink]
        state    = { count = 0, sum = 0\(more) }
        events   = { noted = { n = "int" } }
        receive  = { mail.note = { event = "noted", n = "message.n" } }
        until    = "state.count == \(last)"
        on.noted = { set = { count = "state.count + 1", sum = "state.sum + event.n" } }

        """
    }

    private func dev(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(
            ["dev", "--once", "--journal", "run.journal"] + arguments, in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"])
    }

    private func journal(_ verb: String, _ arguments: String...) throws -> String {
        let outcome = try Shell.run(
            Project.spinhost, ["journal", verb, "run.journal"] + arguments, in: folder.root)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    @Test func `a changed manifest begins an epoch, and the next process continues with it`() throws {
        try folder.write("app.toml", manifest())
        let first = try dev("--json", "--durable", "every-step")
        try #require(first.nextLine(with: #""loop":"sink","step":3,"#) != "")
        try folder.write("app.toml", manifest(", m = 5"))
        try #require(first.nextLine(with: #"{"swap":{"manifest":"app.toml","outcome":"swapped"}}"#) != "")
        let after = first.nextLine(with: #""m":5"#)
        try #require(after.contains(#""origin":"initial""#))
        try #require(first.nextLine(with: #""event":"noted""#).contains(#""m":5"#))
        kill(first.identifier, SIGKILL)
        _ = first.end()
        let shown = try journal("show")
        #expect(shown.ranges(of: "  begun by ").count == 1 && shown.ranges(of: "  continued by ").count == 1)
        let second = try dev("--json")
        let state = second.nextLine(with: #""loop":"source""#)
        #expect(state.contains(#""m":5"#) && !state.contains(#""n":0,"#), "\(state)")
        try #require(second.nextLine(with: #""event":"noted""#) != "")
        kill(second.identifier, SIGTERM)
        #expect(second.end().status == 0)
        #expect(try journal("show").ranges(of: "  continued by ").count == 2)
    }

    @Test func `a sender can wait for the journal after a change, too`() throws {
        try folder.write("app.toml", manifest().replacing("1ms", with: "1h"))
        let first = try dev("--json")
        try #require(first.nextLine(with: #""loop":"sink""#) != "")
        try folder.write("app.toml", manifest(", m = 5").replacing("1ms", with: "1h"))
        try #require(first.nextLine(with: #""m":5"#) != "")
        let sent = try Shell.run(
            Project.spinhost, ["send", "tick", "--loop", "source", "--wait", "durable"],
            environment: ["XDG_RUNTIME_DIR": folder.root.path])
        let position = try #require(
            sent.output.firstMatch(of: /^durable @(\d+)$/.anchorsMatchLineEndings()), "\(sent)"
        ).1
        kill(first.identifier, SIGKILL)
        _ = first.end()
        #expect(
            try journal("show", "--from", String(position), "--to", String(position)).contains("← external"))
    }

    @Test func `a refused change leaves no trace in the journal`() throws {
        try folder.write("app.toml", manifest())
        let program = try dev("--json")
        try #require(program.nextLine(with: #""loop":"sink","step":1,"#) != "")
        for (text, reason) in [
            (manifest(n: "n = { type = 'i32' }"), "P090"),
            (manifest().replacing(#""count""#, with: #""other""#), "J011"),
            ("app.journal = { file = \"run.journal\", interval = \"1s\" }\n" + manifest(), "P090"),
        ] {
            try folder.write("app.toml", text)
            let line = program.nextLine(with: #"{"swap":{"manifest""#)
            #expect(line.contains(#""outcome":"refused""#) && line.contains("\"\(reason)\""), "\(line)")
        }
        kill(program.identifier, SIGKILL)
        _ = program.end()
        #expect(!(try journal("show").contains("  continued by ")))
        #expect(try journal("verify").hasPrefix("ok: "))
    }

    @Test(arguments: ["off", "batched", "every-step"])
    func `no message is lost or comes twice, however often the manifest changes and the process is killed`(
        _ mode: String
    ) throws {
        var generator = SeededGenerator(seed: 11)
        var fields = ""
        for round in 0..<12 {
            try folder.write("app.toml", manifest(fields))
            let program = try dev("--json", "--durable", mode)
            for change in 0..<Int.random(in: 0...3, using: &generator) {
                for _ in 0..<Int.random(in: 1...60, using: &generator) {
                    try #require(program.nextLine() != "")
                }
                fields = ", m\(round)_\(change) = 1"
                try folder.write("app.toml", manifest(fields))
                if Bool.random(using: &generator) {
                    try #require(
                        program.nextLine(with: "m\(round)_\(change)") != "", "\(program.end().errors)")
                }
            }
            for _ in 0..<Int.random(in: 0...60, using: &generator) { try #require(program.nextLine() != "") }
            kill(program.identifier, SIGKILL)
            _ = program.end()
            try check(isWhole: false)
        }
        // The last process has as many ticks as it wants.
        let n = try check(isWhole: false) + 100
        try folder.write("app.toml", manifest(last: n))
        let last = try dev("--quiet", "--durable", mode).end()
        #expect(last.status == 0, "\(last.errors)")
        #expect(try check(isWhole: true) == n)
    }

    /// Compares all steps with what they must be, and returns the last number.
    @discardableResult
    private func check(isWhole: Bool) throws -> Int {
        _ = try journal("verify")
        var (n, count) = (0, 0)
        for line in try journal("show", "--json").split(separator: "\n") {
            if line.contains(#""event":"tick""#) {
                n += 1
                try #require(line.contains(#""step":\#(n),"#) && line.contains(#""n":\#(n)"#), "\(line)")
            } else if line.contains(#""event":"noted""#) {
                count += 1
                try #require(line.contains(#""payload":{"n":\#(count)}"#) && count <= n, "\(line)")
                try #require(line.contains(#""origin":"gear:mail""#), "\(line)")
                try #require(
                    line.contains(#""count":\#(count),"sum":\#(count * (count + 1) / 2)"#), "\(line)")
            }
        }
        if isWhole { #expect(count == n) }
        return n
    }
}
