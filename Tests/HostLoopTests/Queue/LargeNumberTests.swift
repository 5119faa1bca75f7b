import HostLoop
import Synchronization
import Testing

/// Very many loops, and very many events at once.
@Suite(.timeLimit(.minutes(10))) struct LargeNumberTests {
    /// The number of tokens, and a gate that opens when the last of a given number is gone.
    private final class Census: Sendable {
        let isOver = Gate()
        private let expected: Int
        private let alive = Atomic(0)
        private let gone = Atomic(0)
        private let most = Atomic(0)

        init(of expected: Int) { self.expected = expected }

        /// The greatest number of tokens at one time.
        var peak: Int { most.load(ordering: .relaxed) }

        func begin() {
            let count = alive.add(1, ordering: .relaxed).newValue
            most.max(count, ordering: .relaxed)
        }

        func end() {
            alive.subtract(1, ordering: .relaxed)
            if gone.add(1, ordering: .acquiringAndReleasing).newValue == expected { isOver.open() }
        }
    }

    /// A value that lives as long as its owner.
    private final class Token: Sendable {
        private let census: Census

        init(_ census: Census) {
            self.census = census
            census.begin()
        }

        deinit { census.end() }
    }

    private struct State: Sendable {
        var count = 0
        var token: Token?
    }

    @Test func aHundredThousandLoopsRunInOneProcess_andNothingOfThemIsLeft() async {
        let (loops, steps) = (100_000, 3)
        let census = Census(of: loops * steps)
        let spin = Spin<State, Int>(
            initialState: State(),
            reducer: Reducer { state, event in
                state.count += event
                state.token = Token(census)
                return true
            }, feedbacks: [.onState { _ in 1 }], until: { $0.count == steps })
        var counts: [Int: Int] = [:]
        do {
            let running = (0..<loops).map { _ in spin.start() }
            for loop in running {
                await loop.ended.wait()
                counts[loop.state.count, default: 0] += 1
            }
        }
        #expect(counts == [steps: loops])
        // The thread that drained a loop last releases it after its end.
        census.isOver.pass()
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases)
    func aFloodedMailboxHoldsNoMoreThanItMay(_ overflow: MailboxCapacity.Overflow) async {
        let (events, capacity) = (300_000, 100)
        let census = Census(of: events)
        let (isBusy, goOn) = (Gate(), Gate())
        let spin = Spin<Int, Token>(
            initialState: 0,
            reducer: Reducer { state, _ in
                state += 1
                return true
            },
            feedbacks: [
                .onState { state in
                    guard state == 0 else { return nil }
                    isBusy.open()
                    goOn.pass()
                    return nil
                }
            ], until: { $0 == capacity }, mailbox: .bounded(capacity, overflow: overflow))
        let loop = spin.start()
        isBusy.pass()
        for _ in 0..<events { loop.emit(Token(census)) }
        // The mailbox releases dropped events as soon as they are as many as the kept ones. One more is on
        // its way.
        #expect(census.peak <= 2 * capacity + 1)
        goOn.open()
        await loop.ended.wait()
        #expect(loop.state == capacity)
        #expect(loop.counters.dropped == UInt64(events - capacity))
        census.isOver.pass()
    }

    @Test(arguments: [LoopExecutor.pool, .caller])
    func aLoopOfTwoHundredThousandFeedbacksTakesStepsAndStops(executor: LoopExecutor) async {
        let count = 200_000
        let census = Census(of: 1)
        let starts = Atomic(0)
        do {
            let token = Token(census)
            let idle = Feedback<Int, Int>.onState(where: { _ in false }) { _ in nil }
            let first = Feedback<Int, Int>.onState { _ in
                starts.add(1, ordering: .relaxed)
                return nil
            }
            let last = Feedback<Int, Int>.onState { state in
                withExtendedLifetime(token) { state < 2 ? 1 : nil }
            }
            let loop = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { state, event in
                    state += event
                    return true
                }, feedbacks: [first] + Array(repeating: idle, count: count - 2) + [last],
                until: { $0 == 2 }, executor: executor
            ).start()
            await loop.ended.wait()
            #expect(loop.state == 2)
        }
        // For the initial state, too.
        #expect(starts.load(ordering: .relaxed) == 3)
        census.isOver.pass()
    }
}
