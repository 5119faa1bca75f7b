import Diagnostics
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport

@testable import App

/// The reducer and the delayed transitions of a manifest's first loop, on the test's own thread and clock: everything
/// has happened when a method returns.
final class Machine {
    let clock = ManualClock()
    let model: LoopModel
    private let loop: Loop<Record, AppEvent>
    private let log: Log

    /// Loads a manifest without faults; warnings do not count.
    init(_ text: String) throws {
        let folder = try TemporaryFolder()
        let loaded = App.loadManifest(path: try folder.write("app.toml", text))
        guard let manifest = loaded.manifest else {
            throw RecordedRun.Faulty(
                description: DiagnosticRenderer().render(loaded.diagnostics, in: "app.toml"))
        }
        let model = manifest.loops[0]
        let reducer = DeclarativeReducer(
            model, frame: ExpressionFrame(config: manifest.config, bindings: model.bindings))
        // Safe because the loop runs on the test's thread only.
        nonisolated(unsafe) let own = reducer
        let spin = Spin<Record, AppEvent>(
            initialState: model.initialState,
            reducer: Reducer { (state: inout Record, event: AppEvent) in
                try unsafe own.reduce(&state, event)
            },
            feedbacks: model.events.enumerated().compactMap { index, event in
                event.delay.map { DelayFeedback(index, $0, of: model, reducer: reducer).feedback }
            }, executor: .caller, clock: clock)
        log = Log(model)
        loop = spin.start(observers: [log])
        self.model = model
    }

    /// `event STATE`, or `event -` when nothing handled it, or `event ! MESSAGE` when the step failed; since the last
    /// call.
    func told() -> [String] { log.take() }

    /// The state, as JSON.
    var state: String { loop.state.value.json }

    /// Sends an event with the fields of a JSON object, and answers what came of it.
    @discardableResult
    func send(_ name: String, _ payload: String = "{}") throws -> [String] {
        let index = model.events.firstIndex { $0.name == name }!
        log.sending = name
        loop.emit(AppEvent(index: index, payload: try Record(model.events[index].type, json: payload)))
        return told()
    }

    /// Lets time pass, and answers what came of it.
    func wait(_ time: Duration) -> [String] {
        log.sending = "after"
        clock.advance(by: time)
        return told()
    }

    // Safe because the loop runs on the test's thread only.
    private final class Log: LoopObserver, @unchecked Sendable {
        private let model: LoopModel
        private var told: [String] = []
        var sending = ""

        init(_ model: LoopModel) { self.model = model }

        func take() -> [String] {
            defer { told = [] }
            return told
        }

        func stepped(_ step: LoopStep<Record, AppEvent>) {
            told.append("\(model.events[step.event.index].name) \(step.after.value.json)")
        }

        func unhandled(_ event: AppEvent, from origin: EventOrigin) {
            told.append("\(model.events[event.index].name) -")
        }

        func faulted(_ fault: LoopFault) {
            told.append("\(sending) ! \((fault.error as? RunFault)?.diagnostic.message ?? "\(fault.error)")")
        }
    }
}
