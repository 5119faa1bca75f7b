import Foundation
import TestSupport
import Testing

/// Plugins in other languages than C and Swift: the examples `newton` (C++) and `primes` (Rust).
@Suite(.timeLimit(.minutes(10))) struct LanguageTests {
    private func run(_ example: String, _ setting: String) throws -> Shell.Outcome {
        try Spinhost.run("--manifest", Spinhost.example(example), "--set", setting)
    }

    @Test func anEffectInCPlusPlus_improvesAGuess() throws {
        let outcome = try run("newton", "square=2.0")
        #expect(outcome.output == "1.000000\n1.500000\n1.416667\n1.414216\n1.414214\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func anExceptionIsAnErrorOfItsCall() throws {
        let outcome = try run("newton", "square=-4.0")
        #expect(
            outcome.output
                == "1.000000\n`improve` threw a C++ exception: `no real number has the square -4.000000`\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    static let hasRust = FileManager.default.fileExists(
        atPath: Project.root.appendingPathComponent("build/examples/primes/primes.so").path)

    @Test(
        .enabled(if: hasRust, "there is no `cargo` on this machine"),
        arguments: [
            ("below=20", "2\n3\n5\n7\n11\n13\n17\n19\n"), ("below=2", ""), ("below=0", ""),
        ])
    func anEffectInRust_emitsFromItsThread(_ setting: String, _ expected: String) throws {
        let outcome = try run("primes", setting)
        #expect(outcome.output == expected)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(.enabled(if: hasRust, "there is no `cargo` on this machine"))
    func aThreadOfRustWaitsWhileTheLoopIsBusy() throws {
        let outcome = try run("primes", "below=200000")
        #expect(outcome.output.split(separator: "\n").count == 17_984)
        #expect(outcome.errors.hasPrefix("done: 17,985 steps, 17,985 events, 0 drops, 0 faults"))
    }
}
