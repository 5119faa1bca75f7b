import HostLoop

/// Row L4: the cost of a loop that has seen its initial state and waits. It starts 100,000 loops of one spin,
/// on the default executor.
struct IdleLoopRow {
    private let loops = 100_000

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

    private func ours() -> MakingFigure {
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

    private func byHand() -> MakingFigure {
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

    private func figure<Made>(
        _ ready: Countdown, _ made: inout [Made], _ make: () -> Made
    ) -> MakingFigure {
        made.reserveCapacity(loops)
        return MakingFigure(of: loops, until: ready) { for _ in 0..<loops { made.append(make()) } }
    }
}
