import HostLoop
import Testing

/// Rule 8.
@Suite struct TriggerTests {
    // MARK: - onState

    @Test func onStateRunsForEveryNewStateThatPassesTheFilter() {
        let seen = Box<[Int]>([])
        let loop = Counting.spin(
            .onState(
                where: { $0 % 2 == 0 },
                effect: { state in
                    seen.change { $0.append(state) }
                    return nil
                })
        ).start()
        for event in [1, 1, 2, 3] { loop.emit(event) }
        #expect(seen.value == [0, 2, 4])
    }

    @Test func aFilterThatThrowsIsAFaultAndRejects() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = Counting.spin(
            .onState(
                "picky",
                where: { state in
                    if state == 1 { throw Counting.Failure() }
                    return true
                }, run: runs.start)
        ).start(observers: [log])
        loop.emit(1)
        #expect(log.lines("fault") == [#"fault picky at 1: Failure(text: "no")"#])
        #expect(log.faults.first?.source == .trigger(of: "picky", at: 0))
        #expect(runs.inputs == [0])
        #expect(runs[0].isCancelled)
        runs.finishAll()
    }

    // MARK: - onChange

    private func onChange(_ runs: Runs) -> Feedback<Int, Int> {
        .onChange("tens", request: { $0 >= 10 ? $0 / 10 : nil }, run: runs.start)
    }

    @Test func onChangeStartsEndsKeepsAndReplacesItsRunAsTheRequestSays() {
        let runs = Runs()
        let loop = Counting.spin(onChange(runs)).start()
        #expect(runs.inputs.isEmpty)
        loop.emit(10)
        #expect(runs.inputs == [1])
        loop.emit(5)
        #expect(runs.inputs == [1])
        #expect(!runs[0].isCancelled)
        loop.emit(5)
        #expect(runs.inputs == [1, 2])
        #expect(runs[0].isCancelled)
        #expect(!runs[1].isCancelled)
        loop.stop()
        runs.finishAll()
    }

    @Test func onChangeEndsItsRunWhenThereIsNoRequest() {
        let runs = Runs()
        let reducer = Reducer<Int, Int> { (state: inout Int, event: Int) -> Bool in
            state = event
            return true
        }
        let loop = Spin(initialState: 10, reducer: reducer, feedbacks: [onChange(runs)], executor: .caller)
            .start()
        loop.emit(3)
        #expect(runs[0].isCancelled)
        loop.emit(15)
        #expect(runs.inputs == [1, 1])
        loop.stop()
        runs.finishAll()
    }

    @Test(arguments: [false, true])
    func onChangeDoesNotRepeatARunThatIsOverUntilTheRequestDiffersOrWasNil(fails: Bool) {
        let seen = Box<[Int]>([])
        let reducer = Reducer<Int, Int> { (state: inout Int, event: Int) -> Bool in
            state = event
            return true
        }
        let feedback = Feedback<Int, Int>.onChange(
            request: { $0 >= 10 ? $0 / 10 : nil },
            effect: { request in
                seen.change { $0.append(request) }
                if fails { throw Counting.Failure() }
                return nil
            })
        let loop = Spin(initialState: 10, reducer: reducer, feedbacks: [feedback], executor: .caller).start()
        for state in [11, 12, 20, 21, 5, 22, 10] { loop.emit(state) }
        #expect(seen.value == [1, 2, 2, 1])
        #expect(loop.counters.faults == (fails ? 4 : 0))
    }

    @Test func onChangeUsesTheCallersComparison() {
        let seen = Box<[Double]>([])
        let feedback = Feedback<Double, Double>.onChange(
            request: { $0 }, isEqual: { $0.bitPattern == $1.bitPattern },
            run: { request, _ in
                seen.change { $0.append(request) }
                return .finished
            })
        let loop = Spin<Double, Double>(
            initialState: .nan, reducer: Reducer { (state: Double, event: Double) -> Double in event },
            feedbacks: [feedback], executor: .caller
        ).start()
        for state in [Double.nan, 0, -0.0, -0.0] { loop.emit(state) }
        #expect(seen.value.count == 3)
        #expect(seen.value.map(\.bitPattern) == [Double.nan, 0, -0.0].map(\.bitPattern))
    }

    /// A request is compared with the one that has a run, so that small differences do not add up unseen.
    @Test func aToleranceCountsFromTheLastRun() {
        let seen = Box<[Int]>([])
        let feedback = Feedback<Int, Int>.onChange(
            request: { $0 }, isEqual: { abs($0 - $1) < 10 },
            run: { request, _ in
                seen.change { $0.append(request) }
                return .finished
            })
        let loop = Spin<Int, Int>(
            initialState: 0, reducer: Reducer { (state: Int, event: Int) -> Int in event },
            feedbacks: [feedback], executor: .caller
        ).start()
        for state in stride(from: 4, through: 24, by: 4) { loop.emit(state) }
        #expect(seen.value == [0, 12, 24])
    }

    @Test func aRequestThatThrowsIsAFaultAndEndsTheRun() {
        let runs = Runs()
        let log = Counting.Log()
        let loop = Counting.spin(
            .onChange(
                "r",
                request: { state -> Int? in
                    if state == 1 { throw Counting.Failure() }
                    return 7
                }, run: runs.start)
        ).start(observers: [log])
        loop.emit(1)
        #expect(runs[0].isCancelled)
        #expect(log.faults.map(\.source) == [.trigger(of: "r", at: 0)])
        loop.emit(1)
        #expect(runs.inputs == [7, 7])
        loop.stop()
        runs.finishAll()
    }

    @Test func aMemoryOfItsOwnIsMadeOncePerLoopAndGetsEveryState() {
        let made = Box(0)
        let feedback = Feedback<Int, Int>.onChange("own") {
            made.change { $0 += 1 }
            var last = -1
            return RequestMemory(
                change: { state in
                    if state < 0 { throw Counting.Failure() }
                    defer { last = state / 10 }
                    return state < 10 ? .none : state / 10 == last ? .same : .new
                },
                effect: { _, run in
                    run.emit(last == 1 ? 5 : 10)
                    return .finished
                })
        }
        let spin = Counting.spin(from: 10, until: { $0 > 25 }, feedback)
        let log = Counting.Log()
        let loop = spin.start(observers: [log])
        #expect(log.states == [10, 15])
        loop.emit(5)
        #expect(log.states == [10, 15, 20, 30])
        let other = spin.start()
        #expect(other.state == 15)
        #expect(made.value == 2)
    }

    // MARK: - onEvent

    @Test func onEventGetsTheEventAndTheStateThatItCaused() {
        let seen = Box<[[Int]]>([])
        let loop = Counting.spin(
            from: 5,
            .onEvent(
                where: { state, event in event > 1 && state < 100 },
                effect: { state, event in
                    seen.change { $0.append([event, state]) }
                    return nil
                })
        ).start()
        for event in [1, 2, 0, 3, 200] { loop.emit(event) }
        #expect(seen.value == [[2, 8], [3, 11]])
    }

    // MARK: - always

    @Test func alwaysIsOneRunThatIsGivenEveryStateInOrder() {
        let seen = Box<[Int]>([])
        let numbers = Box<Set<UInt64>>([])
        let loop = Counting.spin(
            .always { state, run in
                seen.change { $0.append(state) }
                numbers.change { $0.insert(run.number) }
                if state == 2 { run.emit(contentsOf: [10, 10]) }
            }
        ).start()
        loop.emit(1)
        loop.emit(1)
        loop.emit(1)
        #expect(seen.value == [0, 1, 2, 12, 22, 23])
        #expect(numbers.value == [1])
    }

    @Test func alwaysIsGivenEveryStateInOrderOnAnotherExecutor() async {
        let seen = Box<[Int]>([])
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .always { state, run in seen.change { $0.append(state) } }.execute(on: .blocking)
        ).start(observers: [log])
        for _ in 0..<100 { loop.emit(1) }
        await log.wait { $0.last == "quiescent" && $0.count { $0.hasPrefix("step") } == 100 }
        #expect(seen.value == Array(0...100))
        #expect(log.lines("run") == ["run  1"])
        #expect(log.lines("end") == ["end  1"])
    }

    @Test func aSourceEmitsForTheLoopsLife() {
        let runs = Runs()
        let states = Box<[Int]>([])
        let log = Counting.Log()
        let loop = Counting.spin(
            .always("source", state: { state, _ in states.change { $0.append(state) } }, run: runs.start)
        ).start(observers: [log])
        #expect(runs[0].emit(1) == .queued)
        #expect(runs[0].emit(contentsOf: [2, 3]) == .queued)
        #expect(loop.state == 6)
        #expect(states.value == [1, 3, 6])
        #expect(!log.lines.contains("quiescent"))
        runs[0].finish()
        #expect(log.lines.last == "quiescent")
        #expect(runs[0].emit(1) == .cancelled)
        loop.emit(4)
        #expect(states.value == [1, 3, 6, 10])
    }

    @Test func aReceiverThatThrowsIsAFaultAndIsGivenTheNextState() {
        let log = Counting.Log()
        let loop = Counting.spin(
            .always("r") { state, run in
                if state == 1 { throw Counting.Failure() }
                if state == 3 { run.emit(7) }
            }
        ).start(observers: [log])
        loop.emit(1)
        loop.emit(2)
        #expect(log.lines("fault") == [#"fault r at 1: Failure(text: "no")"#])
        #expect(loop.state == 10)
    }
}
