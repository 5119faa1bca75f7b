import Sandbox
import Testing
import TestSupport

/// What plugins and their libraries do works in a sandbox.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct AllowedTests {
    @Test func everydayCalls_work() throws {
        let outcome = try SandboxedProcess.run(.allowed, "work")
        #expect(outcome.signal == 0)
        #expect(outcome.errors == "")
        #expect(outcome.results.filter { $0.value != "allowed" && $0.value != "allowed allowed" } == [:])
        #expect(outcome.results.count == 26)
        #expect(outcome.output.contains("42\n"))
        #expect(outcome.output.contains("5 letters\n"))
        #expect(outcome.output.hasSuffix("17:06 CEST\n"))
    }

    @Test func unknownCalls_failAsOnOlderKernels() throws {
        let outcome = try SandboxedProcess.run(.allowed, "ask_for_unknown")
        #expect(outcome.signal == 0)
        #expect(Set(outcome.results.values) == ["ENOSYS"])
    }
}
