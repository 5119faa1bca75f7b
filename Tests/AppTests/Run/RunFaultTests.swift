import Diagnostics
import Testing

@testable import App

/// Faults of a run that no manifest is known to cause.
struct RunFaultTests {
    private struct Unknown: Error, CustomStringConvertible {
        let description = "the sensor is too hot"
    }

    @Test func aFailureWithoutACode_isR002_withItsOwnDescription() {
        let fault = RunFault(Unknown(), of: nil, at: nil)
        #expect(
            DiagnosticRenderer().render(fault.diagnostic) == "error[R002]: the sensor is too hot\n")
        #expect(fault.code == -1002)
        #expect(fault.reason == "the sensor is too hot")
    }
}
