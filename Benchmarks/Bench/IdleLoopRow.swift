import HostLoop
import References

/// Row L4: the cost of a loop that has seen its initial state and waits. It starts 100,000 loops of one spin,
/// on the default executor.
struct IdleLoopRow {
    private let loops = 100_000

    private struct Figure {
        /// The bytes that `malloc` has given out for one loop, including its own headers.
        var bytes: Double
        /// The time for one loop, from the first start until the effect of the last has seen the initial
        /// state.
        var microseconds: Double
    }

    func measure(rounds: Int) async -> [Row] {
        let samples = await Row.sampling(rounds: rounds, figure: ours, reference: byHand)
        let reference = "mailbox by hand: one object"
        return [
            Row(
                name: "L4 bytes", title: "memory of an idle loop, one of 100,000", referenceTitle: reference,
                unit: "B", judged: .figure, moreIsBetter: false, reach: 400, then: 200,
                samples: samples.map { $0.map(\.bytes) }),
            Row(
                name: "L4 time", title: "from its start to the effect on its initial state",
                referenceTitle: reference, unit: "µs", judged: .figure, moreIsBetter: false, reach: 1,
                then: nil, samples: samples.map { $0.map(\.microseconds) }),
        ]
    }

    private func ours() -> Figure {
        let ready = Countdown(from: loops)
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(Counting.add),
            feedbacks: [
                .onState { _ in
                    ready.count()
                    return nil
                }
            ])
        var made: [Loop<Counting.State, Counting.Event>] = []
        let figure = figure(ready, &made) { spin.start() }
        // The next round must not find loops that are still being closed.
        let ended = Countdown(from: loops)
        for loop in made {
            loop.stop()
            loop.ended.notify { ended.count() }
        }
        ended.wait()
        return figure
    }

    private func byHand() -> Figure {
        let ready = Countdown(from: loops)
        let counting = Counting(
            reduce: Counting.add,
            effect: { _ in
                ready.count()
                return nil
            })
        var made: [SenderMailbox] = []
        return figure(ready, &made) {
            let mailbox = SenderMailbox(counting)
            mailbox.start()
            return mailbox
        }
    }

    private func figure<Made>(_ ready: Countdown, _ made: inout [Made], _ make: () -> Made) -> Figure {
        made.reserveCapacity(loops)
        let bytes = heap_bytes_in_use()
        let start = ContinuousClock.now
        for _ in 0..<loops { made.append(make()) }
        ready.wait()
        let seconds = Stopwatch.seconds(since: start)
        return Figure(
            bytes: Double(heap_bytes_in_use() - bytes) / Double(loops),
            microseconds: seconds * 1e6 / Double(loops))
    }
}
