import App
import HostLoop
public import Manifest
import Records
import TestSupport
import Testing

/// A running app whose first loop has a key, reached from outside.
final class KeyedWorld {
    let record = RecordedRun()
    let app: App
    let port: AppPort
    let run: AppRun

    /// - Parameter observed: whether the record sees the steps.
    init(
        _ text: String, library: String? = nil, clock: any LoopClock = ContinuousLoopClock(),
        observed: Bool = true
    ) throws {
        app = try record.app(text, library: library, clock: clock)
        port = AppPort(app.manifest, statesCame: {})
        run = app.makeRun(observer: observed ? record : nil, port: port)
        run.start()
    }

    deinit { app.close() }

    var loop: LoopModel { app.manifest.loops[0] }

    /// Sends an event whose fields are `fields`.
    @discardableResult
    func send(_ event: String, _ fields: [(String, Value)] = [], to key: LoopKey) throws -> KeyedEmitResult {
        let index = try #require(loop.events.firstIndex { $0.name == event })
        var payload = Record(loop.events[index].type)
        for (name, value) in fields { try payload.set(name, to: value) }
        return try port.send(event: index, payload: payload, to: key, ofLoop: 0)
    }

    /// The state of an instance as JSON.
    func state(_ key: LoopKey) throws -> String? { try port.state(of: key, ofLoop: 0)?.state.value.json }

    /// Stops the app.
    func end() async -> AppEnd {
        run.stop()
        return await run.finished()
    }
}

extension LoopKey: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int64) { self = .int(number) }
}
