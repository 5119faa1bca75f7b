import App
import Diagnostics
import Dispatch
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

/// An app whose first loop has a key, and whose manifest changes while it runs.
final class ChangingWorld {
    /// A loop with a key, whose event counts.
    static let item = """
        [loops.item]
        key    = "string"
        state  = { n = 0 }
        events = { add = {} }
        on.add = { set = { n = "state.n + 1" } }

        """

    let record = RecordedRun()
    private let folder: TemporaryFolder
    private let hasPort: Bool
    private var apps: [App]
    private(set) var run: AppRun
    private(set) var port: AppPort

    init(
        _ text: String, clock: any LoopClock = ContinuousLoopClock(), hasPort: Bool = true,
        printing: @escaping @Sendable () -> Void = {}
    ) throws {
        (folder, self.hasPort) = (try TemporaryFolder(), hasPort)
        let manifest = try RecordedRun.manifest(text, in: folder)
        let app = try App(
            manifest, clock: clock, log: { [record] in record.log($0) },
            output: { [record] line in
                printing()
                return record.print(line)
            }, workerProgram: WorkerMode.program)
        (apps, port) = ([app], AppPort(manifest, statesCame: {}))
        run = app.makeRun(observer: record, port: hasPort ? port : nil)
        run.start()
    }

    var manifest: Manifest { apps.last!.manifest }

    deinit { for app in apps { app.close() } }

    /// Changes the manifest; returns the reasons of a refusal.
    @discardableResult
    func change(
        to text: String, within limit: Duration = .seconds(30),
        willSucceed: @escaping @Sendable () -> Void = {}
    ) async throws -> [String] {
        let manifest = try RecordedRun.manifest(text, in: folder)
        let next = AppPort(manifest, statesCame: {})
        let outcome = await apps.last!.succeed(
            run, by: manifest, observer: record, port: hasPort ? next : nil, deadline: limit
        ) { _ in willSucceed() }
        switch outcome {
        case .success(let follower):
            apps.append(follower.app)
            (run, port) = (follower.run, next)
            return []
        case .failure(let refusal):
            return refusal.diagnostics.map { "\($0.code.rawValue) \($0.message)" }
        }
    }

    func send(_ event: Int, to key: LoopKey) throws {
        let payload = Record(manifest.loops[0].events[event].type)
        #expect(try port.send(event: event, payload: payload, to: key, ofLoop: 0) == .queued)
    }

    func state(_ key: LoopKey) throws -> String? {
        try port.state(of: key, ofLoop: 0)?.state.value.json
    }

    func end() async -> AppEnd {
        run.stop()
        return await run.finished()
    }
}

extension DispatchSemaphore {
    /// Waits without a thread of the tests' pool.
    func passed() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.wait()
                continuation.resume()
            }
        }
    }
}
