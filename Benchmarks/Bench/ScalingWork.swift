import App
import Dispatch
import HostLoop

/// Work whose size varies in one dimension. It shows how the cost of a step grows with the size.
struct ScalingWork {
    enum Dimension: String, CaseIterable {
        case feedbacks, fields, cases, handled, declarations, plugins, loops, events, observers
    }

    let dimension: Dimension
    let size: Int
    /// The folder with `step.so`.
    let plugins: String

    /// A name such as `feedbacks/100`; nil when it is invalid.
    init?(named name: String, plugins: String) {
        let parts = name.split(separator: "/")
        guard parts.count == 2, let dimension = Dimension(rawValue: String(parts[0])),
            let size = Int(parts[1]), size > 0
        else { return nil }
        (self.dimension, self.size, self.plugins) = (dimension, size, plugins)
    }

    /// Takes `steps` steps; with several loops, each of them takes that many.
    func run(steps: Int) async throws {
        switch dimension {
        case .feedbacks, .fields, .cases, .handled, .declarations, .plugins:
            try await runManifest(steps: steps)
        case .loops: await runLoops(count: size, steps: steps)
        case .events: await circulate(events: size, steps: steps)
        case .observers: await observe(by: size, steps: steps)
        }
    }

    // MARK: - The loop of row M1, with more of one kind

    private func runManifest(steps: Int) async throws {
        let path = "\(plugins)/scaling.toml"
        try BenchFile.write(manifest(steps: steps), to: path)
        let app = try BenchApp.load(path, clock: StillClock())
        defer { app.close() }
        let end = await app.start().end()
        guard end.outcome == .done, end.counters.steps == steps else {
            throw BenchFault("\(dimension.rawValue)/\(size) did not end as expected: \(end)")
        }
    }

    private func manifest(steps: Int) -> String {
        let more = { (kind: Dimension, text: (Int) -> String) in
            // `declarations` are fields, cases with transitions, and events with transitions.
            let isDeclared = dimension == .declarations && [.fields, .cases, .handled].contains(kind)
            // A state has at most 256 cases.
            let count = kind == .cases ? min(size, 256) : size
            return kind == dimension || isDeclared ? (1..<count).map(text).joined() : ""
        }
        let library = "\(plugins)/step.so"
        let hasCases = dimension == .cases || dimension == .declarations
        let fields = "n = 0, limit = \(steps)\(more(.fields) { ", field\($0) = \($0)" })"
        let state =
            hasCases
            ? """
            shared  = { \(fields) }
            states  = { case0 = {}\(more(.cases) { ", case\($0) = {}" }) }
            initial = "case0"
            """ : "state = { \(fields) }"
        let others = more(.cases) { ", { from = \"case\($0)\", set = { n = \($0) } }" }
        let entrances = more(.cases) { "{ from = \"case\($0 - 1)\", to = \"case\($0)\" }, " }
        return """
            app.name = "bench"
            [plugins.step]
            library = "\(library)"
            \(more(.plugins) { "[plugins.step\($0)]\nlibrary = \"\(library)\"\n" })
            [loops.count]
            \(state)
            events = { moved = { to = "int" }, next = {}\(more(.handled) { ", event\($0) = {}" }) }
            until  = "state.n == state.limit"
            [loops.count.on]
            moved = [{ \(hasCases ? "from = \"case0\", " : "")set = { n = "event.to" } }\(others)]
            next  = [\(entrances){}]
            \(more(.handled) { "event\($0) = { set = { limit = \($0) } }\n" })
            [loops.count.feedback.step]
            effect = "step:step_toward"
            args   = ["state.n", "state.limit"]
            emit   = { event = "moved", to = "result" }
            \(more(.feedbacks) {
                """
                [loops.count.feedback.other\($0)]
                effect = "step:step_toward"
                args   = ["state.limit", "state.limit"]

                """
            })
            """
    }

    // MARK: - Loops of HostLoop

    private func runLoops(count: Int, steps: Int) async {
        let done = DispatchSemaphore(value: 0)
        let counting = Counting(to: steps, done: done)
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)], clock: StillClock())
        let loops = (0..<count).map { _ in spin.start() }
        await end(loops, after: done)
    }

    /// Waits until each of the loops has said that it is done, and has ended. The end takes instructions,
    /// too.
    private func end(_ loops: [Loop<Counting.State, Counting.Event>], after done: DispatchSemaphore) async {
        wait(for: loops.count, of: done)
        for loop in loops { loop.stop() }
        for loop in loops { await loop.ended.wait() }
    }

    private func wait(for count: Int, of done: DispatchSemaphore) {
        for _ in 0..<count { done.wait() }
    }

    /// This number of events is always in the queue: each event causes another one.
    private func circulate(events: Int, steps: Int) async {
        let done = DispatchSemaphore(value: 0)
        let spin = Spin<Counting.State, Counting.Event>(
            initialState: Counting.State(), reducer: Reducer(Counting.add),
            feedbacks: [
                .onEvent { state, event in
                    if state.count == steps { done.signal() }
                    return state.count < steps ? event : nil
                }
            ], clock: StillClock())
        let loop = spin.start()
        for _ in 0..<events { loop.emit(.up(1)) }
        await end([loop], after: done)
    }

    private func observe(by observers: Int, steps: Int) async {
        let done = DispatchSemaphore(value: 0)
        let counting = Counting(to: steps, done: done)
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)], clock: StillClock())
        let loop = spin.start(observers: (0..<observers).map { _ in Observer() })
        await end([loop], after: done)
    }

    /// Sees every step and does nothing.
    private final class Observer: LoopObserver {
        func stepped(_ step: LoopStep<Counting.State, Counting.Event>) {}
    }
}
