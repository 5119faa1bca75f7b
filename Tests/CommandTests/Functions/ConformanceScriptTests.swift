import Foundation
import TestSupport
import Testing

/// `script/conformance`, which counts the public cases of CEL that hold.
struct ConformanceScriptTests {
    private func run(_ words: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.root.appending(path: "script/conformance").path, words,
            environment: ["SPINHOST": Project.spinhost])
    }

    @Test func casesAreCounted() throws {
        let outcome = try run(Project.root.appending(path: "Tests/Fixtures/conformance").path)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        #expect(
            outcome.output == """
                sample              5 of   10 hold,   3 do not apply
                all                 5 of   10 hold

                """)
    }

    @Test func casesThatDoNotHold_areShownWhenAskedFor() throws {
        let outcome = try run("--failed", Project.root.appending(path: "Tests/Fixtures/conformance").path)
        let shown = outcome.output.split(separator: "\n").filter { $0.hasPrefix("sample: ") }
        #expect(shown == ["sample: 1 + 1", "sample: 1u + 1u", "sample: 0.0", "sample: 1", "sample: 1 / 0"])
    }

    @Test func aFolderWithoutFiles_andWrongWords_areNamed() throws {
        let outcome = try run("/nowhere")
        #expect(outcome.status == 66 && outcome.output == "")
        #expect(
            outcome.errors == """
                conformance: there are no files in `/nowhere/tests/simple/testdata`: name a checkout of google/cel-spec

                """)
        #expect(try run("--fail").status == 64)
    }
}
