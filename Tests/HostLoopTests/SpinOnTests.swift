import HostLoop
import HostLoopTesting
import Testing

@Suite struct SpinOnTests {
    @Test func aSpinRunsOnAnotherExecutorAndClockAndKeepsTheRest() {
        let clock = ManualClock()
        let times = Box<[Int64]>([])
        let spin = Spin(
            initialState: 1, reducer: Counting.reducer,
            feedbacks: [
                .onState("note") { _, run in
                    times.change { $0.append(run.clock.now.nanoseconds) }
                    return .finished
                }
            ], until: { $0 == 4 })
        let loop = spin.on(executor: .caller, clock: clock).start()
        clock.advance(by: .nanoseconds(7))
        loop.emit(1)
        loop.emit(2)
        #expect(loop.state == 4)
        #expect(loop.emit(1) == .stopped)
        #expect(times.value == [0, 7, 7])
        #expect(spin.initialState == 1)
    }

    @Test func whatIsNotNamedStays() {
        let clock = ManualClock()
        let times = Box<[Int64]>([])
        let spin = Counting.spin(
            clock: clock,
            .onEvent { _, _, run in
                times.change { $0.append(run.clock.now.nanoseconds) }
                return .finished
            })
        let loop = spin.on().start()
        clock.advance(by: .nanoseconds(3))
        loop.emit(1)
        #expect(loop.state == 1)
        #expect(times.value == [3])
    }
}
