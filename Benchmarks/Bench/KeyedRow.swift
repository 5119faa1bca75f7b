import HostLoop
import References

/// Rows L5 and L6: loops by key, 100,000 of them, of the spin of row L4.
struct KeyedRow {
    private let loops = 100_000
    private let events = 1_000_000

    private typealias Loops = KeyedLoops<Int, Counting.State, Counting.Event>

    private func keyed(_ done: Countdown) -> Loops {
        Loops(startingFrom: { _ in Counting.State() }, spin: { _ in spin(done) })
    }

    /// Counts the events that were reduced.
    private func spin(_ done: Countdown) -> Spin<Counting.State, Counting.Event> {
        Spin(
            initialState: Counting.State(), reducer: Reducer(Counting.add),
            feedbacks: [
                .onState { state in
                    if state.count > 0 { done.count() }
                    return nil
                }
            ])
    }

    // MARK: - L5

    private struct Figure {
        var bytes: Double
        var microseconds: Double
    }

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

    private func make() async -> Figure {
        let done = Countdown(from: loops)
        let keyed = keyed(done)
        let figure = figure(done) { for key in 0..<loops { keyed.emit(.up(1), to: key) } }
        keyed.stop()
        // The next round must not find loops that are still being closed.
        await keyed.ended.wait()
        return figure
    }

    private func makeByHand() async -> Figure {
        let done = Countdown(from: loops)
        let spin = spin(done)
        var made: [Int: Loop<Counting.State, Counting.Event>] = [:]
        let figure = figure(done) {
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

    private func figure(_ done: Countdown, _ make: () -> Void) -> Figure {
        let bytes = heap_bytes_in_use()
        let start = ContinuousClock.now
        make()
        done.wait()
        let seconds = Stopwatch.seconds(since: start)
        return Figure(
            bytes: Double(heap_bytes_in_use() - bytes) / Double(loops),
            microseconds: seconds * 1e6 / Double(loops))
    }

    // MARK: - L6

    /// L6: a thread emits a million events to random keys of 100,000 loops. Beside it, the same into one loop.
    func emitting(rounds: Int) async -> Row {
        let samples = await Row.sampling(
            rounds: rounds,
            figure: {
                let (made, done) = (Countdown(from: loops), Countdown(from: loops + events))
                let keyed = Loops(
                    startingFrom: { _ in Counting.State() },
                    spin: { _ in
                        Spin(
                            initialState: Counting.State(), reducer: Reducer(Counting.add),
                            feedbacks: [
                                .onState { state in
                                    if state.count == 1 { made.count() }
                                    if state.count > 0 { done.count() }
                                    return nil
                                }
                            ])
                    })
                for key in 0..<loops { keyed.emit(.up(1), to: key) }
                made.wait()
                var random = Random()
                let start = ContinuousClock.now
                for _ in 0..<events { keyed.emit(.up(1), to: random.next(below: loops)) }
                done.wait()
                let rate = Double(events) / Stopwatch.seconds(since: start) / 1e6
                keyed.stop()
                await keyed.ended.wait()
                return rate
            },
            reference: {
                let done = Countdown(from: events)
                let loop = spin(done).start()
                var random = Random()
                let start = ContinuousClock.now
                for _ in 0..<events where random.next(below: loops) >= 0 { loop.emit(.up(1)) }
                done.wait()
                let rate = Double(events) / Stopwatch.seconds(since: start) / 1e6
                loop.stop()
                await loop.ended.wait()
                return rate
            })
        return Row(
            name: "L6", title: "events to random keys of 100,000 loops", referenceTitle: "one loop",
            unit: "M events/s", judged: .figure, moreIsBetter: true, reach: 1, then: nil, samples: samples)
    }

    /// Linear congruential numbers (D. Knuth, The Art of Computer Programming 2, 3.3.4): cheap beside an event.
    private struct Random {
        private var state: UInt64 = 7

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
    }
}
