import Testing

@testable import spinhost

/// When a service manager gets a sign of life or a status.
struct ServicePulseTests {
    /// Looks twice a second for some seconds, and returns each datagram with its time in seconds.
    private func told(
        _ pulse: inout ServicePulse, seconds: Range<Int>, status: String = "as before", isHeld: Bool = false
    ) -> [String] {
        (seconds.lowerBound * 2..<seconds.upperBound * 2).flatMap { half -> [String] in
            pulse.looked(
                status, isHeld: isHeld, at: .milliseconds(half * 500), every: .milliseconds(500)
            ).map { "\(Double(half) / 2): \($0)" }
        }
    }

    @Test func `nothing is said before the app is ready`() {
        var pulse = ServicePulse(watchdog: .seconds(2))
        #expect(told(&pulse, seconds: 0..<30) == [])
    }

    @Test func `a sign of life comes in half of the manager's time`() {
        var pulse = ServicePulse(watchdog: .seconds(30))
        #expect(pulse.ready("as before", at: .zero) == ["READY=1", "STATUS=as before", "WATCHDOG=1"])
        #expect(
            told(&pulse, seconds: 0..<46) == ["15.0: WATCHDOG=1", "30.0: WATCHDOG=1", "45.0: WATCHDOG=1"])
    }

    @Test func `a sign that was left out comes as soon as no loop is held`() {
        var pulse = ServicePulse(watchdog: .seconds(30))
        _ = pulse.ready("as before", at: .zero)
        #expect(told(&pulse, seconds: 0..<20, isHeld: true) == [])
        #expect(told(&pulse, seconds: 20..<36) == ["20.0: WATCHDOG=1", "35.0: WATCHDOG=1"])
    }

    @Test func `a status comes each ten seconds, and only if it has changed`() {
        var pulse = ServicePulse(watchdog: nil)
        #expect(pulse.ready("as before", at: .zero) == ["READY=1", "STATUS=as before"])
        #expect(told(&pulse, seconds: 0..<15) == [])
        #expect(told(&pulse, seconds: 15..<35, status: "other") == ["20.0: STATUS=other"])
    }

    @Test func `the status counts loops, steps and faults`() {
        #expect(
            ServicePulse.status(loops: 3, steps: 1_204_331, faults: 0) == "3 loops, 1,204,331 steps, 0 faults"
        )
        #expect(ServicePulse.status(loops: 1, steps: 1, faults: 1) == "1 loop, 1 step, 1 fault")
    }
}
