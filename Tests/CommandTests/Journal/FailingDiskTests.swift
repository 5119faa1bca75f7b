import Foundation
import TestSupport
import Testing

/// An app whose journal cannot be written at some point: each call that writes to the disk fails in one of the runs.
@Suite(.timeLimit(.minutes(30))) struct FailingDiskTests {
    /// Pays three times, each time for another state, and appends the key and the number to the file `paid`.
    private static let manifest = """
        app.name = "shop"

        [app.journal]
        file    = "run.journal"
        durable = "DURABLE"
        full    = "FULL"

        [plugins.payer]
        library = "LIBRARY"

        [loops.main]
        state   = { n = 0 }
        events  = { paid = { n = "int" } }
        until   = "state.n == 3"
        on.paid = { set = { n = "event.n" } }

        [loops.main.feedback.pay]
        effect = "payer:pay"
        args   = ["run.key", "state.n"]
        when   = "state.n < 3"
        emit   = { event = "paid", n = "result + 1" }
        MORE

        """

    private static let payer = """
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("payer", "1.0");
        static int64_t pay(const char *key, int64_t n) {
            char line[512];
            int size = snprintf(line, sizeof line, "%s %d\\n", key, (int)n);
            int file = open("paid", O_WRONLY | O_APPEND | O_CREAT, 0600);
            if (file < 0 || write(file, line, (size_t)size) != size) return -1;
            close(file);
            return n;
        }
        SPIN_EFFECT(int64_t, pay, (const char *key, int64_t n), "Appends a line to `paid`.");

        """

    private let shared: TemporaryFolder
    private let library: String
    private let calls: FailingCalls

    init() throws {
        shared = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        library = try CCompiler().sharedObject(
            Self.payer, in: shared, as: "payer.so", flags: ["-I\(include)"])
        calls = try FailingCalls(in: shared)
    }

    /// One folder, with what its processes did.
    private struct Place {
        let folder: TemporaryFolder

        func run(_ environment: [String: String] = [:]) throws -> Shell.Outcome {
            try Shell.run(
                Project.spinhost, ["run", "--quiet"], in: folder.root,
                environment: InterruptedRun.environment.merging(environment) { $1 })
        }

        /// The lines of the effect, and `failed` where the call failed.
        func lines() -> [String] {
            let text = try? String(contentsOf: folder.url("paid"), encoding: .utf8)
            return text?.split(separator: "\n").map(String.init) ?? []
        }

        /// The numbers that were paid.
        func numbers() -> [Int] { lines().compactMap { Int($0.split(separator: " ").last ?? "") } }
    }

    private func place(_ durable: String, _ full: String) throws -> Place {
        let folder = try TemporaryFolder()
        // The wait gives the writer time for a commit between two steps.
        let more = durable == "every-step" ? "" : "delay = \"2ms\""
        let rest = durable == "every-step" ? "" : "\ninterval = \"1ms\""
        try folder.write(
            "app.toml",
            Self.manifest.replacing("LIBRARY", with: library).replacing("MORE", with: more)
                .replacing("\"DURABLE\"", with: "\"\(durable)\"\(rest)").replacing("FULL", with: full))
        return Place(folder: folder)
    }

    /// How many steps of the loop a process finds in the journal; nil if there is no first state.
    private func steps(in errors: String) -> Int? {
        errors.firstMatch(of: #/(?:recovered: 1 loop,|done at step) (\d+) /#).flatMap { Int($0.1) }
    }

    @Test(arguments: [
        ("every-step", "stop", EIO, false), ("every-step", "stop", ENOSPC, true),
        ("batched", "stop", ENOSPC, false), ("off", "continue", EIO, true),
    ])
    func `whichever call fails, the app ends as its manifest says, and the next process continues it`(
        _ durable: String, _ full: String, _ error: Int32, isLasting: Bool
    ) throws {
        var ends: [Int32: Int] = [:]
        var number = 0
        while number < 300 {
            // All make the file in the same way, so most of them try some calls of that.
            number += durable != "every-step" && ends.keys.contains(66) && ends.count == 1 ? 4 : 1
            let place = try place(durable, full)
            let failed = try place.run(
                calls.environment(
                    at: number, error, isLasting: isLasting, files: "run.journal",
                    note: place.folder.url("paid").path))
            let lines = place.lines()
            guard let fault = lines.firstIndex(of: "failed") else {
                // The run makes fewer calls.
                #expect(failed.status == 0 && place.numbers() == [0, 1, 2], "\(number): \(failed)")
                #expect(ends[66, default: 0] > 0)
                #expect(ends[74, default: 0] > (full == "continue" ? 0 : 3), "\(ends)")
                return
            }
            ends[failed.status, default: 0] += 1
            let before = place.numbers()
            switch failed.status {
            case 0: #expect(before == [0, 1, 2], "\(number): \(failed)")
            case 66: #expect(before == [] && failed.errors.contains("error[J004]"), "\(number): \(failed)")
            case 74:
                #expect(failed.errors.contains("error[J020]"), "\(number): \(failed)")
                // Under `continue`, only an app ends that has not begun.
                #expect(full == "stop" || lines == ["failed"], "\(number): \(lines)")
                // The effect of a step that was durable before may just have begun.
                if durable == "every-step" { #expect(lines.count <= fault + 2, "\(number): \(lines)") }
            default: Issue.record("\(number): \(failed)")
            }
            let next = try Shell.run(
                Project.spinhost, ["run"], in: place.folder.root, environment: InterruptedRun.environment)
            #expect(next.status == 0, "\(number): \(next)")
            if durable == "every-step" {
                // No effect of a step began that is not in the journal.
                let steps = steps(in: next.errors) ?? -1
                #expect(before.allSatisfy { $0 <= steps }, "\(number): \(steps), \(lines)")
                let keys = Set(place.lines().filter { $0 != "failed" })
                #expect(keys.count == 3, "\(number): \(place.lines())")
            }
            #expect(Set(place.numbers()) == [0, 1, 2], "\(number): \(place.lines())")
            let payments = Set(place.lines().filter { $0 != "failed" }).map { $0.split(separator: " ")[0] }
            #expect(Set(payments).count == payments.count, "a key has two numbers: \(place.lines())")
            let verified = try Shell.run(
                Project.spinhost, ["journal", "verify", "run.journal"], in: place.folder.root)
            #expect(verified.status == 0, "\(number): \(verified)")
        }
        Issue.record("the run makes more than 300 calls")
    }
}
