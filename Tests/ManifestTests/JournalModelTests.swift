import Diagnostics
import Expressions
import Foundation
import Manifest
import Records
import TestSupport
import Testing

/// The journal that a manifest describes: `[app.journal]`, and what loops and feedbacks say of it.
@Suite struct JournalModelTests {
    private func load(
        _ journal: String, name: String = "journal", _ override: JournalOverride = JournalOverride()
    ) throws -> (loaded: Manifest.Loaded, folder: String) {
        let folder = try TemporaryFolder()
        let path = try folder.write("\(name).toml", "\(journal)\n[loops.a]\n")
        let loaded = Manifest.load(path: path, standardPlugin: Fixture.standardPlugin, journal: override)
        return (loaded, folder.root.path)
    }

    /// The model of a table with a file and one more line.
    private func model(_ line: String) throws -> JournalModel {
        let (loaded, _) = try load("[app.journal]\nfile = \"run.journal\"\n\(line)\n")
        #expect(loaded.diagnostics.isEmpty, "\(line): \(loaded.diagnostics.map(\.message))")
        return try #require(loaded.manifest?.journal)
    }

    /// What a user reads about a manifest, which `load` names `journal.toml`.
    private func text(_ loaded: Manifest.Loaded, _ folder: String) -> String {
        DiagnosticRenderer().render(loaded.diagnostics, in: "journal.toml")
            .replacingOccurrences(of: folder + "/", with: "")
    }

    @Test func anAppWithoutTheKey_hasNoJournal() throws {
        let manifest = try #require(try load("app.name = \"plain\"").loaded.manifest)
        #expect(manifest.journal == nil && manifest.loops[0].isJournaled)
    }

    @Test func aFileAlone_hasTheDefaults() throws {
        let (loaded, folder) = try load(#"app.journal = "logs/run.journal""#)
        let journal = try #require(loaded.manifest?.journal)
        #expect(loaded.diagnostics.isEmpty)
        #expect(journal.file == "logs/run.journal" && journal.path == "\(folder)/logs/run.journal")
        #expect(journal.durability == .batched && journal.interval == .milliseconds(10))
        #expect(journal.snapshotSize == 16 * 1024 * 1024 && journal.keep == .all)
        #expect(journal.whenFull == .stop && journal.timers == .wall)
        #expect(journal == JournalModel(file: journal.file, path: journal.path))
    }

    @Test(arguments: [
        "run.journal", "./a/../run.journal", "/var/run.journal", "ü b", "run", "", "/", "a/", ".", "a/..",
    ])
    func theShortForm_isATableWithTheFile(_ file: String) throws {
        let forms = [
            "app.journal = \"\(file)\"", "app.journal = { file = \"\(file)\" }",
            "[app.journal]\nfile = \"\(file)\"",
        ]
        let results = try forms.map { form in
            let (loaded, folder) = try load(form)
            let journal = loaded.manifest?.journal
            return [
                journal?.file ?? "", journal?.path.replacing(folder, with: "FOLDER") ?? "",
                "\(journal?.durability as Any) \(journal?.interval as Any) \(journal?.snapshotSize as Any)",
                "\(journal?.keep as Any) \(journal?.whenFull as Any) \(journal?.timers as Any)",
                "\(loaded.diagnostics.map { [$0.code.rawValue, $0.message] + $0.help })",
            ]
        }
        #expect(Set(results).count == 1, "\(results)")
        #expect(results[0][1].isEmpty == ["", "/", "a/", ".", "a/.."].contains(file))
    }

    @Test func relativeFiles_startInTheManifestsFolder() throws {
        let (loaded, folder) = try load(#"app.journal = "run.journal""#)
        #expect(loaded.manifest?.journal?.path == folder + "/run.journal")
        #expect(
            try load(#"app.journal = "/tmp/x.journal""#).loaded.manifest?.journal?.path == "/tmp/x.journal")
    }

    @Test func everyWord_isDecoded() throws {
        #expect(
            try ["off", "batched", "every-step"].map { try model("durable = \"\($0)\"").durability }
                == [.off, .batched, .everyStep])
        #expect(
            try ["stop", "continue"].map { try model("full = \"\($0)\"").whenFull } == [.stop, .continue])
        #expect(try ["wall", "pause"].map { try model("timers = \"\($0)\"").timers } == [.wall, .pause])
        #expect(try model("durable = \"off\"\nfull = \"continue\"").whenFull == .continue)
    }

    @Test(arguments: [
        ("1ms", Duration.milliseconds(1)), ("10s", .seconds(10)), ("1.5s", .milliseconds(1500)),
        ("duration('20ms')", .milliseconds(20)),
    ])
    func intervals(_ text: String, _ interval: Duration) throws {
        #expect(try model("interval = \"\(text)\"").interval == interval)
    }

    @Test(arguments: [
        ("4KiB", 4096), ("4096B", 4096), ("16MiB", 16_777_216), ("2GiB", 2_147_483_648),
        ("1TiB", 1_099_511_627_776),
    ])
    func sizesOfSnapshots(_ text: String, _ size: Int) throws {
        #expect(try model("snapshot = \"\(text)\"").snapshotSize == size)
    }

    @Test(arguments: [
        (#""all""#, JournalModel.Retention.all), (#""7d""#, .age(.seconds(604_800))),
        (#""1h30m""#, .age(.seconds(5400))), (#""2GiB""#, .bytes(2_147_483_648)), (#""1B""#, .bytes(1)),
        ("1_000_000", .steps(1_000_000)), ("1", .steps(1)), (#""500""#, .steps(500)),
        (#""106751d""#, .age(.seconds(9_223_286_400))),
    ])
    func retentions(_ text: String, _ keep: JournalModel.Retention) throws {
        #expect(try model("keep = \(text)").keep == keep)
    }

    @Test(arguments: [
        "", " ", "GiB", "1 GiB", "1.5GiB", "-1GiB", "0GiB", "0d", "-1d", "1.5d", "106752d", "0", "-5", "+d",
        "0s",
        "-3h", "everything", "9223372036854775807TiB", "99999999999999999999", "7days", "ALL", "1gib",
        "1\u{301}d",
    ])
    func textsThatAreNoRetention(_ text: String) { #expect(JournalModel.Retention(text) == nil) }

    @Test func aChangedTable_isAnotherModel() throws {
        let journal = try model("")
        let others = try [
            #"durable = "off""#, #"interval = "11ms""#, #"snapshot = "17MiB""#, "keep = 1",
            #"full = "continue""#,
            #"timers = "pause""#,
        ].map { line in
            let (loaded, _) = try load("[app.journal]\nfile = \"run.journal\"\n\(line)\n")
            let other = try #require(loaded.manifest?.journal)
            return JournalModel(
                file: journal.file, path: journal.path, durability: other.durability,
                interval: other.interval,
                snapshotSize: other.snapshotSize, keep: other.keep, whenFull: other.whenFull,
                timers: other.timers)
        }
        #expect(Set(others + [journal]).count == 7)
    }

    @Test func loopsAndFeedbacks() throws {
        let loaded = try Fixture.shared.get().load("good-journal")
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let manifest = try #require(loaded.manifest)
        #expect(manifest.loops.map(\.isJournaled) == [true, false])
        let feedbacks = manifest.loops[0].feedbacks
        #expect(feedbacks.map(\.name) == ["plain", "drop", "again", "pay"])
        #expect(feedbacks.map(\.isDurable) == [true, false, true, true])
        let recoveries = feedbacks.map { feedback in
            switch feedback.recovery {
            case .again: "again"
            case .drop: "drop"
            case .emit(let batch):
                batch.emissions.map { emission in
                    "\(emission.event): \(emission.assignments.map(\.source.text)) "
                        + "\(emission.condition?.source.text ?? "-")"
                }.joined(separator: "; ") + " \(batch.emitter ?? "no emitter") \(batch.messages.count)"
            }
        }
        #expect(
            recoveries == [
                "again", "drop", "again",
                #"0: ["state.n + 1", "now"] -; 1: [] state.n > 2 no emitter 0"#,
            ])
        #expect(feedbacks[1].variants[0].arguments.map(\.reads.slots) == [[FrameSlot.run.rawValue]])
        #expect(
            feedbacks[2].variants[0].arguments.map(\.reads.slots)
                == [[FrameSlot.run.rawValue, FrameSlot.item.rawValue]])
    }

    @Test func theCommandLine_replacesFileAndDurability() throws {
        let table = "[app.journal]\nfile = \"run.journal\"\nkeep = 5\nfull = \"continue\""
        let (loaded, _) = try load(table, JournalOverride(file: "other.journal", durability: .off))
        let journal = try #require(loaded.manifest?.journal)
        let current = FileManager.default.currentDirectoryPath
        #expect(journal.file == "other.journal" && journal.path == "\(current)/other.journal")
        #expect(journal.durability == .off && journal.keep == .steps(5) && journal.whenFull == .continue)
        let (short, folder) = try load(
            "app.journal = \"run.journal\"", JournalOverride(durability: .everyStep))
        #expect(
            short.manifest?.journal
                == JournalModel(
                    file: "run.journal", path: "\(folder)/run.journal", durability: .everyStep))
        let (none, _) = try load("", JournalOverride(file: "/tmp/x.journal"))
        #expect(none.manifest?.journal == JournalModel(file: "/tmp/x.journal", path: "/tmp/x.journal"))
    }

    @Test func theCommandLine_isCheckedAsTheManifestIs() throws {
        let pointer = "[loops.b]\nstate = { handle = { type = \"pointer\" } }"
        let (loaded, folder) = try load(pointer, JournalOverride(file: "run.journal"))
        #expect(
            text(loaded, folder) == """
                error[M121]: a journal cannot keep `handle`, which has a `pointer`
                 --> journal.toml:2:11
                  |
                2 | state = { handle = { type = "pointer" } }
                  |           ^^^^^^ an address means nothing to the next process
                  = help: leave the loop out of the journal: `journal = false` in `[loops.b]`

                error: 1 fault in journal.toml

                """)
        let (kept, keptFolder) = try load(
            "app.journal = { file = \"a\", full = \"continue\" }", JournalOverride(durability: .everyStep))
        #expect(
            text(kept, keptFolder) == """
                error[M021]: `full = "continue"` cannot be combined with `every-step`
                 --> journal.toml:1:36
                  |
                1 | app.journal = { file = "a", full = "continue" }
                  |                                    ^^^^^^^^^^ effects wait for a journal that is gone
                  = help: write `full = "stop"`, or another value of `durable`

                error: 1 fault in journal.toml

                """)
        let (alone, aloneFolder) = try load("", JournalOverride(durability: .off))
        #expect(
            text(alone, aloneFolder) == """
                error[M021]: `--durable` needs a journal
                  = help: name one with `--journal FILE`, or in the manifest: `app.journal = "run.journal"`

                error: 1 fault in journal.toml

                """)
        let (folderOnly, path) = try load("", JournalOverride(file: "logs/"))
        #expect(
            text(folderOnly, path) == """
                error[M011]: `logs/` cannot be the file of a journal
                  = help: name a file, such as `run.journal`

                error: 1 fault in journal.toml

                """)
    }
}
