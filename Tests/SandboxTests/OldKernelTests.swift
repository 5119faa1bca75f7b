import Foundation
import Sandbox
import Testing
import TestSupport

/// Older versions of Landlock, which newer kernels still have.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct OldKernelTests {
    @Test func missingRule_isAnError() throws {
        let outcome = try Self.run("read_file", "/etc/passwd", SandboxPolicy(), ["--landlock", "0"])
        #expect(outcome.status == 65)
        #expect(
            outcome.errors
                == "the kernel cannot keep the sandbox: `read`, `write` and `exec` need Landlock (Linux 5.13)\n"
        )
    }

    @Test func missingRule_isSkippedAndTold_withBestEffort() throws {
        let outcome = try Self.run(
            "read_file", "/etc/passwd", SandboxPolicy(), ["--landlock", "0", "--best-effort", "yes"])
        #expect(outcome.results == ["read": "allowed"])
        #expect(outcome.errors == "skipped: `read`, `write` and `exec` need Landlock (Linux 5.13)\n")
    }

    @Test(arguments: 1...7) func eachVersion_refusesFilesOutside(_ version: Int) throws {
        let folder = try TemporaryFolder()
        let options = ["--landlock", "\(version)", "--best-effort", "yes"]
        let policy = SandboxPolicy(scratch: folder.root.path)
        #expect(try Self.run("read_file", "/etc/passwd", policy, options).results == ["read": "EACCES"])
        let results = try Self.run("use_scratch", folder.root.path, policy, options).results
        // Version 1 has no right to move files to other folders.
        let moves = ["rename(\"a\", \"sub/b\")", "link(\"sub/b\", \"c\")"]
        #expect(
            results.filter { $0.value != "allowed" && !moves.contains($0.key) }
                == (version == 1
                    ? [
                        "open(\"d\", O_RDONLY)": "ENOENT", "unlink(\"c\")": "ENOENT",
                    ] : [:]))
        #expect(results[moves[0]] == (version == 1 ? "EXDEV" : "allowed"))
    }

    private static func run(
        _ attempt: String, _ argument: String, _ policy: SandboxPolicy, _ options: [String]
    ) throws -> SandboxedProcess.Outcome {
        try SandboxedProcess.run(.files, attempt, argument, policy, options: options)
    }
}
