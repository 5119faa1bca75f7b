import Foundation
import TestSupport
import Testing

/// `spinhost top`, at a terminal and for scripts.
@Suite(.timeLimit(.minutes(10))) struct TopCommandTests {
    /// A loop that ticks a hundred times a second, and others that rest.
    private static let manifest = """
        app.name = "clock"
        app.stay = true
        [loops.clock]
        state  = { ticks = 0 }
        events = { tick = {}, odd = {} }
        on.tick = { set = { ticks = "state.ticks + 1" } }
        [loops.clock.feedback.timer]
        effect = "std:every"
        args   = ["duration('10ms')"]
        emits.ticked = { event = "tick" }
        [loops.one]
        state = { n = 0 }
        [loops.two]
        state = { n = 0 }

        """

    private func host() throws -> ControlledHost { try ControlledHost(Self.manifest) }

    private func top(
        _ host: ControlledHost, columns: UInt16 = 80, rows: UInt16 = 24
    ) throws -> TerminalProgram {
        let top = try TerminalProgram(["top"], in: host.folder.root, columns: columns, rows: rows)
        try #require(top.waits { $0.screen.contains { $0.hasPrefix("clock timer") } }, "\(top.drawn)")
        return top
    }

    /// The terminal is as it was before.
    private func expectRestored(_ top: TerminalProgram) {
        #expect(top.drawn.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"), "\(top.drawn.suffix(60).debugDescription)")
        #expect(top.isOrdinary)
    }

    @Test func `The screen shows loops and feedbacks with their rates, and q gives the terminal back`() throws
    {
        let host = try host()
        let top = try top(host)
        #expect(top.drawn.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"))
        #expect(!top.isOrdinary)
        // Rates come with the second counters.
        #expect(top.waits { $0.screen.contains { $0.wholeMatch(of: /clock +[1-9][0-9.]* .*/) != nil } })
        let screen = top.screen
        #expect(screen.count == 24)
        #expect(screen.allSatisfy { $0.count <= 80 })
        #expect(screen.last == "s sort (rate)  f faults only  q quit")
        #expect(screen.contains { $0.hasPrefix("LOOP  ") } && screen.contains { $0.hasPrefix("FEEDBACK  ") })
        try top.type("q")
        #expect(top.end() == 0)
        expectRestored(top)
    }

    @Test func `The keys s and f sort the lines and leave only faults`() throws {
        let host = try host()
        let top = try top(host)
        try top.type("ss")
        #expect(top.waits { $0.screen.last?.hasPrefix("s sort (name)") == true })
        let names = top.screen.filter { $0.contains(/^(clock|one|two) +[0-9]/) }.map {
            $0.prefix { $0 != " " }
        }
        #expect(names == ["clock", "one", "two"])
        try top.type("f")
        #expect(top.waits { $0.screen.contains("no loop has faults") })
        try top.type("fq")
        #expect(top.end() == 0)
        expectRestored(top)
    }

    @Test func `A small window cuts lines and says how many, and a changed size is used at once`() throws {
        let host = try host()
        let top = try TerminalProgram(["top"], in: host.folder.root, columns: 40, rows: 6)
        #expect(top.waits { $0.screen.last?.contains("lines below") == true }, "\(top.drawn)")
        #expect(top.screen.count == 6)
        #expect(top.screen.allSatisfy { $0.count <= 40 })
        #expect(top.screen.contains { $0.hasSuffix("…") })
        top.resize(columns: 100, rows: 30)
        #expect(top.waits { $0.screen.count == 30 })
        #expect(top.screen.last == "s sort (rate)  f faults only  q quit")
        try top.type("q")
        #expect(top.end() == 0)
    }

    @Test(arguments: ["\u{3}", "TERM", "HUP"])
    func `Ctrl-C and signals end it, and give the terminal back`(_ way: String) throws {
        let host = try host()
        let top = try top(host)
        switch way {
        case "TERM": kill(try #require(top.identifier), SIGTERM)
        case "HUP": kill(try #require(top.identifier), SIGHUP)
        default: try top.type(way)
        }
        #expect(top.end() == 0)
        expectRestored(top)
    }

    @Test func `Ctrl-Z gives the terminal back until the program continues`() throws {
        let host = try host()
        let top = try top(host)
        try top.type("\u{1A}")
        #expect(top.waits { $0.drawn.hasSuffix("\u{1B}[?25h\u{1B}[?1049l") && $0.isOrdinary })
        kill(try #require(top.identifier), SIGCONT)
        #expect(top.waits { !$0.isOrdinary && $0.screen.contains { $0.hasPrefix("clock timer") } })
        try top.type("q")
        #expect(top.end() == 0)
        expectRestored(top)
    }

    @Test func `The end of the app ends it and gives the terminal back`() throws {
        let host = try host()
        let top = try top(host)
        #expect(host.end().status == 0)
        #expect(top.end() == 0)
        #expect(top.drawn.hasSuffix("\u{1B}[?25h\u{1B}[?1049l`clock` has ended: stopped\r\n"))
        #expect(top.isOrdinary)
    }

    @Test func `With --once it prints the numbers, and with --json all counters`() throws {
        let host = try host()
        let text = try host.spinhost("top", "--once")
        #expect(text.status == 0)
        #expect(text.output.hasPrefix("clock  process \(host.program.identifier)  "))
        #expect(text.output.contains("\nLOOP ") && text.output.contains("\nclock timer "))
        let json = try host.spinhost("top", "--once", "--json")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let counters = try #require(object["counters"] as? [[String: Any]])
        #expect(counters.compactMap { $0["loop"] as? String } == ["clock", "one", "two"])
        #expect(try #require(counters[0]["stepsPerSecond"] as? Double) > 0)
        #expect((counters[0]["watched"] as? [String: Any])?["feedbacks"] != nil)
    }

    @Test func `Without a terminal or an app it says what to do`() throws {
        let host = try host()
        let piped = try host.spinhost("top")
        #expect(piped.status == 64 && piped.errors.contains("`top --once` prints the numbers once"))
        let json = try host.spinhost("top", "--json")
        #expect(json.status == 64 && json.errors.contains("add `--once`"))
        let unknown = try host.spinhost("top", "--once", "--app", "nobody")
        #expect(unknown.status == 69 && unknown.errors.contains("no app listens at"))
    }
}
