import HostLoop
import Testing

/// Rules 1 and 3.
@Suite struct ColdStartTests {
    @Test func nothingRunsBeforeStart() {
        let seen = Box<[Int]>([])
        let spin = Counting.spin(
            .onState { state in
                seen.change { $0.append(state) }
                return nil
            })
        #expect(seen.value.isEmpty)
        let loop = spin.start()
        #expect(seen.value == [0])
        withExtendedLifetime(loop) {}
    }

    @Test func eachStartIsALoopOfItsOwnFromTheInitialState() {
        let requests = Box<[Int]>([])
        let spin = Counting.spin(
            from: 7,
            .onChange(
                request: { $0 },
                effect: { request in
                    requests.change { $0.append(request) }
                    return nil
                }))
        let first = spin.start()
        first.emit(1)
        let second = spin.start()
        #expect(first.state == 8)
        #expect(second.state == 7)
        #expect(second.counters == LoopCounters())
        // The second loop does not remember the first one's request.
        #expect(requests.value == [7, 8, 7])
    }

    @Test func observersAndFeedbacksSeeTheInitialStateFirstWhenAnEventIsEmittedAtOnce() async {
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool, until: { $0 == 3 },
            .onState("a", strategy: .continueOnNewState, effect: { $0 == 0 ? 2 : nil })
        ).start(observers: [log])
        loop.emit(1)
        await loop.ended.wait()
        #expect(log.lines.first == "started 0")
        #expect(log.lines[1] == "run a 1")
        #expect(log.states.first == 0)
        #expect(log.states.last == 3)
    }

    @Test func anEventOfAnEffectIsReducedAfterTheInitialStateWasShownToAll() {
        let log = Counting.Log()
        let seen = Box<[Int]>([])
        let loop = Counting.spin(
            .onState("a", effect: { $0 == 0 ? 1 : nil }),
            .onState(
                "b",
                effect: { state in
                    seen.change { $0.append(state) }
                    return nil
                })
        ).start(observers: [log])
        #expect(log.lines.first == "started 0")
        #expect(seen.value == [0, 1])
        withExtendedLifetime(loop) {}
    }
}
