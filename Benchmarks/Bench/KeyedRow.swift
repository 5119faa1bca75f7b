import HostLoop

/// Rows L5 and L6: loops by key, 100,000 of them, of the spin of row L4.
struct KeyedRow {
    private let loops = 100_000
    private let events = 1_000_000

    private typealias Loops = KeyedLoops<Int, Counting.State, Counting.Event>

    /// A spin that counts the events that were reduced, and the first of each loop.
    private func spin(_ done: Countdown, first: Countdown? = nil) -> Spin<Counting.State, Counting.Event> {
        Spin(
            initialState: Counting.State(), reducer: Reducer(Counting.add),
            feedbacks: [
                .onState { state in
                    if state.count == 1 { first?.count() }
                    if state.count > 0 { done.count() }
                    return nil
                }
            ])
    }

    private func keyed(_ done: Countdown, first: Countdown? = nil) -> Loops {
        Loops(startingFrom: { _ in Counting.State() }, spin: { _ in spin(done, first: first) })
    }

    /// The next round must not find loops that are still being closed.
    private func end(_ keyed: Loops) async {
        keyed.stop()
        await keyed.ended.wait()
    }

    // MARK: - L5

    /// L5: an event for each of 100,000 keys, until all are reduced.
    func making(rounds: Int) async -> [Row] {
        let samples = await Row.sampling(rounds: rounds, figure: make, reference: makeByHand)
        let reference = "the same loops in a dictionary"
        return [
            Row(
                name: "L5 bytes", title: "memory of an idle loop by key, one of 100,000",
                referenceTitle: reference, unit: "B", judged: .figure, moreIsBetter: false, reach: 1024,
                then: nil, samples: samples.map { $0.map(\.bytes) }),
            Row(
                name: "L5 time", title: "from the first event of a key until it is reduced",
                referenceTitle: reference, unit: "µs", judged: .figure, moreIsBetter: false, reach: 10,
                then: nil, samples: samples.map { $0.map(\.microseconds) }),
        ]
    }

    func make() async -> MakingFigure {
        let done = Countdown(from: loops)
        let keyed = keyed(done)
        let figure = MakingFigure(of: loops, until: done) {
            for key in 0..<loops { keyed.emit(.up(1), to: key) }
        }
        await end(keyed)
        return figure
    }

    private func makeByHand() async -> MakingFigure {
        let done = Countdown(from: loops)
        let spin = spin(done)
        var made: [Int: Loop<Counting.State, Counting.Event>] = [:]
        let figure = MakingFigure(of: loops, until: done) {
            for key in 0..<loops {
                let loop = spin.start()
                loop.emit(.up(1))
                made[key] = loop
            }
        }
        for loop in made.values {
            loop.stop()
            await loop.ended.wait()
        }
        return figure
    }

    // MARK: - L6

    /// L6: a thread emits a million events to random keys of 100,000 loops. Beside it, the same into one loop.
    func emitting(rounds: Int) async -> Row {
        let samples = await Row.sampling(
            rounds: rounds,
            figure: {
                let (first, done) = (Countdown(from: loops), Countdown(from: loops + events))
                let keyed = keyed(done, first: first)
                for key in 0..<loops { keyed.emit(.up(1), to: key) }
                first.wait()
                let rate = rate(done) { keyed.emit(.up(1), to: $0) }
                await end(keyed)
                return rate
            },
            reference: {
                let done = Countdown(from: events)
                let loop = spin(done).start()
                let rate = rate(done) { _ in loop.emit(.up(1)) }
                loop.stop()
                await loop.ended.wait()
                return rate
            })
        return Row(
            name: "L6", title: "events to random keys of 100,000 loops", referenceTitle: "one loop",
            unit: "M events/s", judged: .figure, moreIsBetter: true, reach: 1, then: nil, samples: samples)
    }

    /// Emits all events, and waits until they are reduced. Returns millions of events in a second.
    @inline(__always)
    private func rate(_ done: Countdown, _ emit: (Int) -> Void) -> Double {
        var keys = RandomKeys(below: loops)
        let start = ContinuousClock.now
        for _ in 0..<events { emit(keys.next()) }
        done.wait()
        return Double(events) / Stopwatch.seconds(since: start) / 1e6
    }
}
