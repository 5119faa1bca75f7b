import HostLoop
import TestSupport
import Testing

/// Rule 8, `onEach`, against a naive model, with random requests.
@Suite struct EachModelTests {
    private final class Observer: LoopObserver {
        let lines = Box<[String]>([])

        private func write(_ line: String, _ run: EffectRun?) {
            guard run?.feedback ?? "each" == "each" else { return }
            lines.change { $0.append(line) }
        }
        func stepped(_ step: LoopStep<RequestLoop.State, RequestLoop.Event>) {
            if case .together = step.event { return }
            write("step \(step.event)", nil)
        }
        func effectStarted(_ run: EffectRun, by event: RequestLoop.Event?) {
            write("run \(run.number)", run)
        }
        func effectEnded(_ run: EffectRun) { write("end \(run.number)", run) }
        func effectCancelled(_ run: EffectRun) { write("cancel \(run.number)", run) }
        func late(_ event: RequestLoop.Event, from run: EffectRun) {
            write("late \(event) of \(run.number)", run)
        }
        func withdrawn(_ event: RequestLoop.Event, from run: EffectRun) {
            write("withdrawn \(event) of \(run.number)", run)
        }
        func faulted(_ fault: LoopFault) {
            write("fault of \(fault.source.run?.number ?? 0)", fault.source.run)
        }
    }

    private typealias Kept = Box<[UInt64: Run<RequestLoop.Event>]>

    private func feedback(
        _ form: EachModel.Form, seed: UInt64, _ kept: Kept
    ) -> Feedback<RequestLoop.State, RequestLoop.Event> {
        @Sendable func call(
            _ ask: RequestLoop.Request, _ run: Run<RequestLoop.Event>, isUpdate: Bool = false
        ) throws -> EffectStatus {
            let play = EachModel.Play(seed: seed, ask, of: run.number, isUpdate: isUpdate)
            run.emit(contentsOf: play.events)
            if play.fails { throw Counting.Failure() }
            guard play.isPending, !isUpdate else { return .finished }
            kept.change { $0[run.number] = run }
            return .pending
        }
        switch form {
        case .array: return .onEach("each", requests: { $0.asks }, key: { $0.key }) { try call($0, $1) }
        case .set:
            return .onEach("each", requests: { Set($0.asks.map(\.key)) }) {
                try call(RequestLoop.Request(key: $0, value: 0), $1)
            }
        case .dictionary:
            return .onEach("each", requests: { $0.values }) { key, value, run in
                let status = try call(RequestLoop.Request(key: key, value: value), run)
                let update: KeyedStatus<Int, RequestLoop.Event>.Update = { value, run in
                    _ = try call(RequestLoop.Request(key: key, value: value), run, isUpdate: true)
                }
                return status == .pending ? .pending(update: update) : .finished(update: update)
            }
        }
    }

    @Test(arguments: EachModel.Form.allCases, [0, 100, 200, 300] as [UInt64])
    func runsAndTheirEventsAreThoseOfTheModel(form: EachModel.Form, seeds: UInt64) {
        for seed in seeds..<seeds + 100 {
            var random = SeededGenerator(seed: seed)
            let kept = Kept([:])
            let observer = Observer()
            let loop = RequestLoop.spin(feedback(form, seed: seed, kept)).start(observers: [observer])
            var model = EachModel(form: form, seed: seed)
            for _ in 0..<16 {
                let number = kept.value.keys.sorted().randomElement(using: &random)
                switch (Int.random(in: 0..<4, using: &random), number) {
                case (2, let number?):
                    kept.value[number]?.emit(.heard("outside"))
                    model.emit("outside", from: number)
                case (3, let number?):
                    kept.value[number]?.finish()
                    model.finish(number)
                default:
                    let asks = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        RequestLoop.Event.ask(EachModel.asks(using: &random))
                    }
                    loop.emit(.together(asks))
                    model.take(asks)
                }
            }
            #expect(observer.lines.value == model.lines, "seed \(seed)")
            #expect(loop.ended.running.map(\.number) == model.running.sorted(), "seed \(seed)")
            loop.stop()
            for (_, run) in kept.value { run.finish() }
            #expect(loop.ended.running.isEmpty)
        }
    }
}
