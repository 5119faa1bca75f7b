import HostLoop
import Testing

/// Rule 10 against a model of the queue, with random feedbacks.
@Suite struct QueueModelTests {
    private typealias State = QueueScript.State

    private final class Observer: LoopObserver {
        let lines = Box<[String]>([])

        func write(_ line: String) { lines.change { $0.append(line) } }
        func stepped(_ step: LoopStep<QueueScript.State, UInt64>) {
            let origin = step.origin.run.map { "\($0.index) \($0.number)" } ?? "outside"
            write("step \(step.event) of \(origin) to \(step.after)")
        }
        func effectStarted(_ run: EffectRun, by event: UInt64?) { write("run \(run.index) \(run.number)") }
        func effectEnded(_ run: EffectRun) { write("end \(run.index) \(run.number)") }
        func effectCancelled(_ run: EffectRun) { write("cancel \(run.index) \(run.number)") }
        func late(_ event: UInt64, from run: EffectRun) {
            write("late \(event) of \(run.index) \(run.number)")
        }
        func withdrawn(_ event: UInt64, from run: EffectRun) {
            write("withdrawn \(event) of \(run.index) \(run.number)")
        }
    }

    /// The data that the effects of one loop share.
    private final class Cast: Sendable {
        let emitter = Box<Emitter<UInt64>?>(nil)
        let kept = Box<[Run<UInt64>]>([])
        let calls: Box<[Int]>

        init(_ count: Int) {
            calls = Box(Array(repeating: 0, count: count))
        }

        func play(_ script: QueueScript, _ index: Int, _ state: State, _ run: Run<UInt64>) -> Bool {
            let call = calls.value[index]
            calls.change { $0[index] += 1 }
            let (actions, isPending) = script.actions(index, state, call: call)
            for action in actions {
                let kept = kept.value
                switch action {
                case .emit(let event): run.emit(event)
                case .outside(let event): emitter.value?.emit(event)
                case .other(let choice, let events):
                    guard !kept.isEmpty else { continue }
                    kept[Int(choice % UInt64(kept.count))].emit(contentsOf: events)
                case .finish(let choice):
                    guard !kept.isEmpty else { continue }
                    kept[Int(choice % UInt64(kept.count))].finish()
                }
            }
            return isPending
        }

        func start(_ script: QueueScript, _ index: Int, _ state: State, _ run: Run<UInt64>) -> EffectStatus {
            guard play(script, index, state, run) else { return .finished }
            kept.change { $0.append(run) }
            return .pending
        }
    }

    private func feedback(_ script: QueueScript, _ index: Int, _ cast: Cast) -> Feedback<State, UInt64> {
        switch script.kinds[index] {
        case .state(let strategy):
            .onState(where: { script.passes(index, $0, nil) }, strategy: strategy) { state, run in
                cast.start(script, index, state, run)
            }
        case .event(let strategy):
            .onEvent(where: { script.passes(index, $0, $1) }, strategy: strategy) { state, _, run in
                cast.start(script, index, state, run)
            }
        case .change:
            .onChange("\(index)") {
                var last: UInt64?
                return RequestMemory(
                    change: { state in
                        let request = script.request(index, state)
                        defer { last = request }
                        return request == nil ? .none : request == last ? .same : .new
                    }, effect: { state, run in cast.start(script, index, state, run) })
            }
        case .always:
            .always(state: { state, run in _ = cast.play(script, index, state, run) }) { state, run in
                cast.start(script, index, state, run)
            }
        }
    }

    private func run(_ script: QueueScript, observers: [any LoopObserver<State, UInt64>]) -> LoopCounters {
        let cast = Cast(script.kinds.count)
        let loop = Spin<State, UInt64>(
            initialState: State(hash: 0),
            reducer: Reducer { (state: State, event: UInt64) throws -> State? in
                try script.reduce(state, event)
            },
            feedbacks: script.kinds.indices.map { feedback(script, $0, cast) },
            until: { $0.step == QueueScript.steps }, executor: .caller
        ).start(observers: observers)
        cast.emitter.value = loop.emitter
        for event in script.driving { loop.emit(event) }
        var counters = loop.counters
        // The model ends when the loop stops. It does not see later events.
        counters.refused = 0
        loop.stop()
        for run in cast.kept.value { run.finish() }
        return counters
    }

    private func lines(_ lines: [String], _ prefix: String) -> [String] {
        lines.filter { $0.hasPrefix(prefix) }
    }

    @Test(arguments: 0..<15)
    func theLoopDoesWhatTheModelOfItsQueueDoes(score: UInt64) {
        for seed in score * 20..<score * 20 + 20 {
            let script = QueueScript(seed: seed)
            let model = QueueModel(script)
            let observer = Observer()
            let counters = run(script, observers: [observer])
            let seen = observer.lines.value
            for prefix in ["step", "withdrawn", "late", "run", "end", "cancel"] {
                let (expected, got) = (lines(model.lines, prefix), lines(seen, prefix))
                guard expected != got else { continue }
                let first = zip(expected, got).first { $0 != $1 }
                Issue.record(
                    "seed \(seed), \(script.kinds): \(prefix) differs at \(String(describing: first))")
                return
            }
            #expect(counters == model.counters, "seed \(seed)")
            #expect(run(script, observers: []) == model.counters, "seed \(seed) without observers")
        }
    }

    @Test func theScriptsReachTheCasesThatTheyTest() {
        var sum = LoopCounters()
        for seed in 0..<200 as Range<UInt64> {
            let counters = QueueModel(QueueScript(seed: seed)).counters
            sum.steps += counters.steps
            sum.withdrawn += counters.withdrawn
            sum.late += counters.late
            sum.discarded += counters.discarded
        }
        #expect(sum.steps > 10_000)
        #expect(sum.withdrawn > 1_000)
        #expect(sum.late > 1_000)
        #expect(sum.discarded > 100)
    }
}
