import Foundation
import TestSupport
import Testing

/// Examples that are killed while they keep a journal: they continue.
@Suite(.timeLimit(.minutes(10))) struct KilledExampleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ example: String, _ mode: String, _ options: String...) throws -> RunningProgram {
        try RunningProgram(
            [
                "run", "--manifest", Spinhost.example(example), "--journal", "run.journal", "--durable", mode,
                "--skip", "none",
            ]
                + options, in: folder.root)
    }

    /// The steps of a loop in a journal: `event state`.
    private func steps(of loop: String, in journal: String = "run.journal") throws -> [String] {
        let shown = try Spinhost.run("journal", "show", journal, "--loop", loop, "--json", in: folder)
        #expect(shown.status == 0, "\(shown.errors)")
        return shown.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/"step":\d+,"event":"([^"]+)",.*"state":(\{[^}]*\})/#).map {
                "\($0.1) \($0.2)"
            }
        }
    }

    /// How many words are in the journal; 0 while there is none.
    private func committed() throws -> Int {
        let shown = try Spinhost.run("journal", "show", "run.journal", "--json", in: folder)
        return shown.output.ranges(of: #""event":"#).count
    }

    @Test(arguments: ["off", "batched", "every-step"])
    func `login loses its authorization once, and is given it back once`(_ mode: String) throws {
        // A process prints the states that it begins with, so each of them comes one line further.
        for lines in 0...12 {
            let host = try start("login", mode, "--steps")
            for _ in 0..<lines where host.nextLine().isEmpty { break }
            kill(host.identifier, SIGKILL)
            _ = host.end()
        }
        #expect(try start("login", mode, "--quiet").end().status == 0)
        func called(_ calls: Int, _ authorized: Bool = true) -> String {
            #"called {"calls":\#(calls),"authorized":\#(authorized)}"#
        }
        #expect(
            try steps(of: "feature") == [
                called(1), called(2), called(3, false), #"granted {"calls":3,"authorized":true}"#, called(4),
                called(5), called(6),
            ])
        #expect(try steps(of: "login") == [#"check {"user":"ada","checks":1}"#])
    }

    private static let words = [
        "up", "up", "fade", "mute call", "unmute", "down", "mute", "unmute", "up", "fade", "mute a b",
        "unmute",
        "up",
    ]

    @Test(arguments: ["off", "batched", "every-step"])
    func `volume has obeyed each word once, when the next process is told the words that are missing`(
        _ mode: String
    ) throws {
        let whole = try Spinhost.run(
            "--manifest", Spinhost.example("volume"), "--quiet", "--journal", "whole.journal", in: folder,
            input: Self.words.joined(separator: "\n") + "\n")
        #expect(whole.status == 0, "\(whole.errors)")
        var (generator, done, kills) = (SeededGenerator(seed: 7), 0, 0)
        while done < Self.words.count {
            let host = try start("volume", mode, "--quiet")
            let more = min(Self.words.count - done, Int.random(in: 1...3, using: &generator))
            for word in Self.words[done..<done + more] { try host.write(word) }
            let moment = Int.random(in: 0...more, using: &generator)
            if Bool.random(using: &generator) {
                // The speaker prints at least a line for each word.
                for _ in 0..<moment { try #require(host.nextLine() != "") }
            } else {
                try blockUntil { try self.committed() >= done + moment }
            }
            kill(host.identifier, SIGKILL)
            _ = host.end()
            kills += 1
            let committed = try self.committed()
            #expect(committed >= done && committed <= done + more)
            done = committed
            // With few words at a time, it may take many processes.
            try #require(kills < 500)
        }
        #expect(try steps(of: "speaker") == steps(of: "speaker", in: "whole.journal"))
    }

    @Test func `the time in which a speaker is muted counts without a process, too`() throws {
        let first = try start("volume", "every-step", "--quiet", "--set", "patience=1h")
        try first.write("mute call")
        try #require(first.nextLine() == "playing at 30, 0 changes")
        try #require(first.nextLine() == "muted at 30, 0 changes")
        kill(first.identifier, SIGKILL)
        _ = first.end()
        let second = try start("volume", "every-step", "--quiet", "--set", "patience=1ms")
        // The journal may lack the end of the run that printed the last line.
        let line = second.nextLine()
        #expect((line.hasPrefix("muted") ? second.nextLine() : line) == "playing at 30, 0 changes")
        kill(second.identifier, SIGTERM)
        #expect(second.end().status == 0)
        #expect(try steps(of: "speaker").map { $0.prefix { $0 != " " } } == ["mute", "after:muted"])
    }
}
