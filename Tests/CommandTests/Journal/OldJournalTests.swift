import Foundation
import TestSupport
import Testing

/// Journals as earlier versions have written them, one for each format: this version reads and continues them.
///
/// They lie in `Tests/Fixtures/journals/FORMAT`. Never replace one: users have journals of that format. When the format
/// changes, `SPIN_REGENERATE=1 script/test --filter OldJournalTests` adds one of the new format.
@Suite(.timeLimit(.minutes(10))) struct OldJournalTests {
    private static let journals = Project.root.appendingPathComponent("Tests/Fixtures/journals")

    private static let formats =
        ((try? FileManager.default.contentsOfDirectory(atPath: journals.path)) ?? []).sorted()

    /// A copy of a journal with its app, whose plugin is compiled.
    private static func copy(of format: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["app.toml", "payer.c", "entries.jsonl", "begun.txt", "run.sqlite"] {
            try FileManager.default.copyItem(
                at: journals.appendingPathComponent("\(format)/\(name)"), to: folder.url(name))
        }
        try RecordedShop.compile(in: folder)
        return folder
    }

    private static func lines(_ name: String, in folder: TemporaryFolder) throws -> [String] {
        try String(contentsOf: folder.url(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func spinhost(_ arguments: String..., in folder: TemporaryFolder) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root,
            environment: InterruptedRun.environment.merging(["TZ": "UTC"]) { $1 })
    }

    @Test func `there is a journal of the present format`() throws {
        let folder = try TemporaryFolder()
        let shop = try RecordedShop(in: folder)
        let version = try Shell.run("sqlite3", [folder.url("run.sqlite").path, "PRAGMA user_version"])
        let format = String(version.output.dropLast())
        let place = Self.journals.appendingPathComponent(format)
        if !FileManager.default.fileExists(atPath: place.path),
            Project.isRegenerating
        {
            try shop.keep(in: place)
        }
        #expect(FileManager.default.fileExists(atPath: place.path), "no journal of format \(format)")
    }

    @Test(arguments: formats) func `each entry reads as it was written`(_ format: String) throws {
        let folder = try Self.copy(of: format)
        let entries = try Self.lines("entries.jsonl", in: folder)
        let shown = try spinhost("journal", "show", "run.sqlite", "--json", in: folder)
        #expect(shown.status == 0 && shown.errors == "", "\(shown.errors)")
        #expect(shown.output.split(separator: "\n").map(String.init) == entries)
        let verified = try spinhost("journal", "verify", "run.sqlite", in: folder)
        #expect(verified.output.hasPrefix("ok: \(entries.count) entries in "), "\(verified)")
        #expect(verified.output.contains(", 2 epochs, "))
        let reduced = try spinhost("journal", "verify", "run.sqlite", "--reduce", in: folder)
        #expect(reduced.status == 0 && reduced.output.contains("identical: "), "\(reduced)")
    }

    @Test(arguments: formats) func `each step has its state`(_ format: String) throws {
        let folder = try Self.copy(of: format)
        var steps = 0
        for line in try Self.lines("entries.jsonl", in: folder) {
            guard
                let entry = line.firstMatch(
                    of: #/^\{"loop":"(\w+)","step":(\d+),.*"state":(\{.*\}),"origin":/#)
            else { continue }
            let at = try spinhost("journal", "at", "run.sqlite", "\(entry.1)#\(entry.2)", in: folder)
            #expect(at.status == 0)
            #expect(at.output.hasPrefix(#"{"loop":"\#(entry.1)","step":\#(entry.2),"#), "\(line)")
            #expect(at.output.contains(#""state":\#(entry.3)"#), "\(line)")
            steps += 1
        }
        #expect(steps >= 10)
    }

    @Test(arguments: formats) func `a copy is continued`(_ format: String) throws {
        let folder = try Self.copy(of: format)
        let entries = try Self.lines("entries.jsonl", in: folder)
        let begun = try Self.lines("begun.txt", in: folder)
        // The last sale was long ago.
        let manifest = try String(contentsOf: folder.url("app.toml"), encoding: .utf8)
        try folder.write("app.toml", manifest.replacing("\"1h\"", with: "\"1ms\""))
        let host = try RunningProgram(
            ["run", "--control", "--steps", "--journal", "run.sqlite"], in: folder.root,
            environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"])
        var (lines, missing) = ([String](), Set(begun + ["after"]))
        // The time of the sale is over, and its payment begins again.
        while !missing.isEmpty, case let line = host.nextLine(), !line.isEmpty {
            lines.append(line)
            missing.remove(line)
            if line.contains("after:busy") { missing.remove("after") }
        }
        #expect(missing.isEmpty, "\(lines)")
        kill(host.identifier, SIGTERM)
        let end = host.end()
        #expect(end.status == 0)
        #expect(
            end.errors.contains(#/recovered: 2 loops, \d+ steps, 1 run begun again, in /#), "\(end.errors)")
        let shown = try spinhost("journal", "show", "run.sqlite", "--json", in: folder)
        let now = shown.output.split(separator: "\n").map(String.init)
        #expect(now.starts(with: entries) && now.count > entries.count)
        #expect(try spinhost("journal", "verify", "run.sqlite", in: folder).output.contains(", 3 epochs, "))
    }
}

/// A shop that has run in two processes, of which the second one was killed.
struct RecordedShop {
    private let folder: TemporaryFolder
    /// What the payment printed that had not ended.
    private let begun: [String]

    static func compile(in folder: TemporaryFolder) throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source = try String(contentsOf: folder.url("payer.c"), encoding: .utf8)
        _ = try CCompiler().sharedObject(source, in: folder, as: "payer.so", flags: ["-I\(include)"])
    }

    init(in folder: TemporaryFolder) throws {
        self.folder = folder
        try folder.write("app.toml", Self.manifest)
        try folder.write("payer.c", Self.payer(version: "1.0"))
        try Self.compile(in: folder)
        let first = try ControlledHost(in: folder, Self.options)
        try #require(first.program.waitForErrors("listening at"))
        try Self.send(first, "sell", #"{"item":"apple","tags":["red","\u00e4"]}"#)
        try #require(first.program.nextLine().hasSuffix("/shop/pay/1 1"))
        // A sale is over once it is paid.
        try blockUntil { try first.spinhost("state").output.contains(#""case":"open","count":1"#) }
        try Self.send(first, "odd", "{}")
        try #require(first.end().status == 0)
        let second = try ControlledHost(in: folder, Self.options)
        try #require(second.program.waitForErrors("listening at"))
        try folder.write("payer.c", Self.payer(version: "1.1"))
        try Self.compile(in: folder)
        let swapped = try second.spinhost("swap", "payer")
        try #require(swapped.output == "swapped 1.0 → 1.1\n", "\(swapped)")
        try Self.send(second, "sell", #"{"item":"pear","tags":[]}"#)
        begun = [second.program.nextLine()]
        try Self.send(second, "sell", #"{"item":"plum","tags":["blue"]}"#)
        try blockUntil {
            let shown = try second.spinhost("journal", "show", "run.journal", "--loop", "book").output
            return shown.contains("pear")
        }
        // What is known of the payment is in the file when the loop rests.
        try Self.send(second, "odd", "{}")
        _ = second.end(SIGKILL)
        let copied = try second.spinhost("journal", "export", "run.journal", "--copy", "run.sqlite")
        try #require(copied.status == 0, "\(copied.errors)")
    }

    /// Adds the journal, its app and what it has to a folder that must not exist.
    func keep(in place: URL) throws {
        let shown = try Spinhost.run("journal", "show", "run.sqlite", "--json", in: folder)
        try folder.write("entries.jsonl", shown.output)
        try folder.write("begun.txt", begun.joined(separator: "\n") + "\n")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for name in ["app.toml", "payer.c", "entries.jsonl", "begun.txt", "run.sqlite"] {
            try FileManager.default.copyItem(at: folder.url(name), to: place.appendingPathComponent(name))
        }
    }

    private static let options = ["--journal", "run.journal", "--durable", "every-step"]

    private static func send(_ host: ControlledHost, _ event: String, _ payload: String) throws {
        let sent = try host.spinhost("send", event, payload, "--loop", "shop", "--wait", "durable")
        try #require(sent.output.hasPrefix("durable @"), "\(sent)")
    }

    private static let manifest = """
        app.name = "shop"

        [plugins.payer]
        library = "./payer.so"

        [gears.mail]
        messages = { sold = { item = "string", tags = "[string]" } }

        [loops.shop]
        initial = "open"
        shared  = { count = 0, words = { type = "[string]" }, note = { type = "string?" }, since = { type = "timestamp" }, here = { x = 0.5, y = -1.0 }, mode = { type = "calm | brisk" }, raw = { type = "bytes", initial = "abc" } }
        states  = { open = {}, busy = { item = "" } }
        events  = { sell = { item = "string", tags = "[string]" }, paid = { n = "int" }, odd = {} }

        [loops.shop.on]
        sell = { from = "open", to = "busy", set = { item = "event.item", count = "state.count + 1", words = "state.words + event.tags", since = "now", mode = "'brisk'" } }
        paid = { to = "open", set = { note = "'paid ' + string(event.n)" } }
        odd  = { if = "false" }

        [loops.shop.after]
        busy = { delay = "1h", to = "open", set = { note = "'late'", mode = "'calm'" } }

        [loops.shop.feedback.tell]
        on   = "sell"
        send = { gear = "mail", message = "sold", item = "event.item", tags = "event.tags" }

        [loops.shop.feedback.pay]
        effect   = "payer:pay"
        on       = "sell"
        in       = "busy"
        args     = ["state.count"]
        strategy = "skip-while-running"

        [loops.book]
        state   = { items = [{ item = "none", tags = ["a"] }], last = "" }
        events  = { noted = { item = "string", tags = "[string]" } }
        receive = { mail.sold = { event = "noted", item = "message.item", tags = "message.tags" } }
        on.noted = { set = { items = "state.items + [{'item': event.item, 'tags': event.tags}]", last = "event.item" } }

        """

    /// Pays the odd sales at once. The others stay.
    private static func payer(version: String) -> String {
        """
        #include <stdio.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("payer", "\(version)");
        SPIN_EMITTER(paid, (int64_t, n));
        static void pay(spin_call *call, int64_t n) {
            char key[SPIN_RUN_KEY_SIZE];
            char line[SPIN_RUN_KEY_SIZE + 40];
            if (spin_run_key(call, key, sizeof key) != SPIN_OK)
                return;
            snprintf(line, sizeof line, "%s %d", key, (int)n);
            spin_print(line);
            if (n % 2 == 0)
                return;
            paid(call, n);
            spin_finish(call);
        }
        SPIN_EFFECT(void, pay, (spin_call *call, int64_t n), "Says its key; emits `paid` for an odd number.");

        """
    }
}
