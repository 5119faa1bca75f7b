import Foundation
import TestSupport
import Testing

/// `spinhost` between other programs: `std:lines`, `std:print`, and their ends.
@Suite(.timeLimit(.minutes(10))) struct PipelineTests {
    /// Prints every line that it reads.
    private static let copy = """
        [loops.main]
        state  = { ended = false }
        events = { line = { text = "string" }, ended = { lines = "int" } }
        until  = "state.ended"
        on.line  = {}
        on.ended = { set = { ended = "true" } }
        [loops.main.feedback.read]
        effect = "std:lines"
        args   = ["'-'"]
        [loops.main.feedback.print]
        effect = "std:print"
        on     = "line"
        args   = ["event.text"]

        """

    /// What bash says to a command in which `$spinhost` is the program with the manifest.
    private func bash(_ command: String, manifest: String = copy) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        return try Shell.run(
            "bash", ["-c", command], in: folder.root,
            environment: ["spinhost": "\(Project.spinhost) --manifest app.toml"])
    }

    @Test(arguments: [
        ("printf 'a\\r\\nb\\n\\nlast'", "a\nb\n\nlast\n"),
        ("printf 'one\\n'", "one\n"),
        ("printf ''", ""),
        ("printf '\\n'", "\n"),
        ("printf 'x\\377y\\0z\\n'", "x\u{fffd}y\0z\n"),
        ("printf '\\r\\r\\n'", "\r\n"),
    ])
    func everyLineOfThePipeIsRead(_ source: String, _ expected: String) throws {
        let outcome = try bash("\(source) | $spinhost")
        #expect(outcome.output == expected)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func theInputMayBeAFile_orNothing_orATerminal() throws {
        #expect(try bash("printf 'a\\nb' >in; $spinhost <in").output == "a\nb\n")
        #expect(try bash("$spinhost </dev/null").output == "")
        // A terminal, which `script` has at its other side; ^D ends what is typed.
        let typed = try bash("printf 'typed\\n\\004' | script -qec \"$spinhost\" /dev/null")
        #expect(typed.output.contains("typed\r\n"), "\(typed.output) \(typed.errors)")
    }

    @Test func unreadableInput_isAFault() throws {
        let closed = try bash("$spinhost <&-")
        #expect(
            closed.errors.contains("cannot read the standard input: Bad file descriptor"), "\(closed.errors)")
        #expect(closed.status == 1)
        let folder = try bash("$spinhost </")
        #expect(folder.errors.contains("cannot read the standard input: Is a directory"), "\(folder.errors)")
        let long = try bash("head -c 3000000 /dev/zero | tr '\\0' x | $spinhost")
        #expect(
            long.errors.contains("line 1 of the standard input is longer than 1048576 bytes"),
            "\(long.errors)")
    }

    @Test func aReaderThatGoesEndsTheAppInOrder() throws {
        // `yes` never ends, so only the reader's end can be the end.
        let outcome = try bash("yes | $spinhost | head -2; echo ${PIPESTATUS[1]}")
        #expect(outcome.output == "y\ny\n0\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains("interrupted") || outcome.errors.contains("stopped"), "\(outcome.errors)")
    }

    /// The whole log, and its totals counted by other means.
    @Test func theExampleCountsALogOf100000Lines() throws {
        var generator = SeededGenerator(seed: 20_240_607)
        let statuses = [200, 200, 200, 206, 301, 304, 404, 403, 500, 503]
        var (counts, bytes, log) = ([Int: Int](), 0, "")
        for index in 0..<100_000 {
            if index % 1000 == 999 {
                log += "not a request\n"
                counts[0, default: 0] += 1
                continue
            }
            let status = statuses.randomElement(using: &generator)!
            let size = Int.random(in: 0...100_000, using: &generator)
            log +=
                "10.0.\(index % 256).7 - - [10/Oct/2024:13:55:36 +0000] \"GET /item/\(index)?q=%22a HTTP/1.1\" "
            log += "\(status) \(size == 0 ? "-" : "\(size)") \"https://example.org/\" \"Mozilla/5.0 (X11)\"\n"
            counts[status / 100, default: 0] += 1
            bytes += size
        }
        let folder = try TemporaryFolder()
        try folder.write("log", log)
        let outcome = try Shell.run(
            "bash", ["-c", "\(Project.spinhost) --manifest '\(Spinhost.example("pipeline"))' <log"],
            in: folder.root)
        #expect(
            outcome.output
                == "2xx \(counts[2]!), 3xx \(counts[3]!), 4xx \(counts[4]!), 5xx \(counts[5]!), other \(counts[0]!), \(bytes) bytes\n"
        )
        #expect(outcome.errors.hasPrefix("done: 100,002 steps, 100,002 events, 0 drops, 0 faults"))
    }
}
