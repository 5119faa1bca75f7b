import Dispatch
import HostLoop

/// Row L1: a closed loop with one synchronous feedback. The reference is the same loop, written by hand.
struct ClosedLoopRow {
    var steps = 2_000_000
    var clock: any LoopClock = ContinuousLoopClock()

    func measure(rounds: Int) async -> Row {
        let samples = await Row.sampling(rounds: rounds, figure: ours, reference: byHand)
        return Row(
            name: "L1", title: "closed loop through HostLoop, one synchronous feedback",
            referenceTitle: "mailbox by hand: a lock, two arrays, drained by the sender", unit: "M steps/s",
            moreIsBetter: true, reach: 0.5, then: 0.8, samples: samples)
    }

    func ours() async -> Double {
        let done = DispatchSemaphore(value: 0)
        let counting = Counting(to: steps, done: done)
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)], clock: clock)
        var loop: Loop<Counting.State, Counting.Event>?
        let rate = rate {
            loop = spin.start()
            done.wait()
        }
        loop?.stop()
        // A count includes all of the end, or nothing of it.
        await loop?.ended.wait()
        return rate
    }

    private func byHand() -> Double {
        let done = DispatchSemaphore(value: 0)
        let counting = Counting(to: steps, done: done)
        return rate {
            SenderMailbox(counting).start()
            done.wait()
        }
    }

    private func rate(_ run: () -> Void) -> Double {
        let start = ContinuousClock.now
        run()
        return Double(steps) / Stopwatch.seconds(since: start) / 1e6
    }
}
