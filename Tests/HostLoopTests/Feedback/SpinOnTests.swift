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

    @Test func theMailboxStaysBounded() {
        let recorder = Recorder<Int, Int>()
        let emitter = Box<Emitter<Int>?>(nil)
        let burst = Feedback<Int, Int>.onEvent("burst", where: { _, event in event == 1 }) { _, _, _ in
            for event in 2...4 { emitter.value?.emit(event) }
            return .finished
        }
        let spin = Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: [burst],
            mailbox: .bounded(1, overflow: .reject))
        let loop = spin.on(executor: .caller).start(observers: [recorder])
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(recorder.recording?.entries.map(\.event) == [1, 2])
    }

    @Test func settingsThatAreNotNamedStay() {
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
