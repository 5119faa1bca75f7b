import TestSupport
import Testing

/// The assertions in a real bundle of XCTest: that of this package, run by XCTest for one class.
@Suite struct XCTestTests {
    /// Runs wrong assertions, and returns everything that was printed.
    private func run(_ test: String, _ wanted: String) throws -> String {
        let outcome = try Shell.run(
            CommandLine.arguments[0], ["HostLoopXCTests.WrongAssertions" + test],
            environment: ["SPIN_WRONG_ASSERTIONS": wanted])
        #expect(outcome.status != 0 && outcome.status != 124)
        return outcome.output + outcome.errors
    }

    @Test func aWrongAssertionFailsATestCaseOfXCTest() throws {
        let text = try run("/testTransition", "inside")
        #expect(text.contains("AssertionTests.swift:32: error: WrongAssertions.testTransition"), "\(text)")
        #expect(text.contains("the new state is not the expected one"), "\(text)")
        #expect(text.contains("Executed 1 test, with 1 failure"), "\(text)")
    }

    @Test func aWrongAssertionOfATestLoopFailsATestCaseOfXCTest() throws {
        let text = try run("/testLoop", "inside")
        #expect(text.contains("AssertionTests.swift:38: error: WrongAssertions.testLoop"), "\(text)")
        #expect(text.contains("Executed 1 test, with 1 failure"), "\(text)")
    }

    @Test func whereNoTestRunsAWrongAssertionEndsTheProcessWithItsText() throws {
        let text = try run("", "outside")
        #expect(text.contains("AssertionTests.swift:26"), "\(text)")
        #expect(text.contains("no test runs that could record this failure"), "\(text)")
        #expect(text.contains("the new state is not the expected one"), "\(text)")
    }
}
