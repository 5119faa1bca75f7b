import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
import PluginHeader
import PluginHost
import Records
import TestSupport

/// Runs a manifest to its end and keeps what it told.
final class RecordedRun: AppObserver {
    /// A manifest that was expected to be without faults.
    struct Faulty: Error, CustomStringConvertible {
        let description: String
    }

    private struct Told {
        var steps: [String] = []
        var faults: [String] = []
        var lines: [String] = []
        var origins: [String] = []
        var logged: [String] = []
        var waiting: [(isReady: @Sendable (Told) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            []
        /// Whether the time of the test is over, so that nobody waits any more.
        var isGivenUp = false

        /// Takes those who wait for what is there now.
        mutating func ready() -> [CheckedContinuation<Void, Never>] {
            guard !waiting.isEmpty else { return [] }
            let isReady = waiting.map { isGivenUp || $0.isReady(self) }
            defer { waiting = zip(waiting, isReady).filter { !$0.1 }.map(\.0) }
            return zip(waiting, isReady).filter(\.1).map(\.0.continuation)
        }
    }

    private let told = Lock(Told())

    /// `event(payload) state`, both as JSON, in order.
    var steps: [String] { told.withLock { $0.steps } }
    /// `loop step part: message`, in order.
    var faults: [String] { told.withLock { $0.faults } }
    /// Where the event of each step came from.
    var origins: [String] { told.withLock { $0.origins } }
    /// `plugin level: text`, and the fields, of what was logged, in order.
    var logged: [String] { told.withLock { $0.logged } }
    /// What the app printed.
    var lines: [String] { told.withLock { $0.lines } }

    func started(loop: String, key: LoopKey?, step: UInt64, state: Record) { note(state.value.json) }

    func stepped(_ step: AppStep) {
        note("\(step.event)\(step.payload.value.json) \(step.after.value.json)", from: step.origin)
    }

    private func note(_ step: String, from origin: String? = nil) {
        let ready = told.withLock { told in
            told.steps.append(step)
            if let origin { told.origins.append(origin) }
            return told.ready()
        }
        for continuation in ready { continuation.resume() }
    }

    /// Waits until there are so many `steps`.
    func steps(_ count: Int) async { await until { $0.steps.count >= count } }

    /// Waits until the app has printed so many `lines`.
    func lines(_ count: Int) async { await until { $0.lines.count >= count } }

    /// Waits until the app has printed `line` so many times.
    func line(_ line: String, times: Int = 1) async {
        await until { told in told.lines.count { $0 == line } >= times }
    }

    /// Waits until `steps` are as wanted.
    func until(_ isReady: @escaping @Sendable ([String]) -> Bool) async { await until { isReady($0.steps) } }

    private func until(_ isReady: @escaping @Sendable (Told) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = told.withLock { told in
                    told.waiting.append((isReady, continuation))
                    return told.ready()
                }
                for continuation in ready { continuation.resume() }
            }
        } onCancel: {
            let ready = told.withLock { told in
                told.isGivenUp = true
                return told.ready()
            }
            for continuation in ready { continuation.resume() }
        }
    }

    func faulted(_ fault: AppFault) {
        told.withLock {
            $0.faults.append("\(fault.loop) \(fault.step) \(fault.part): \(fault.diagnostic.message)")
        }
    }

    /// Loads `text` as the manifest of a folder, in which `library` was compiled to `lib.so`, or `plugin` is.
    func app(
        _ text: String, library: String? = nil, compiler: String = "cc", plugin: CompiledPlugin? = nil,
        clock: any LoopClock = ContinuousLoopClock()
    ) throws -> App {
        let folder = try TemporaryFolder()
        // The libraries are copied when the app is made.
        defer { withExtendedLifetime(folder) {} }
        if let plugin { try FileManager.default.copyItem(at: plugin.file, to: folder.url("lib.so")) }
        return try app(Self.manifest(text, library: library, compiler: compiler, in: folder), clock: clock)
    }

    /// The app of a manifest.
    func app(_ manifest: Manifest, clock: any LoopClock = ContinuousLoopClock()) throws -> App {
        try App(
            manifest, clock: clock,
            log: { [self] in log($0) }, output: { [self] in print($0) }, workerProgram: WorkerMode.program)
    }

    /// Keeps a line that a plugin logs.
    func log(_ line: PluginLogLine) {
        let words = ["\(line.plugin) \(line.level): \(line.text)", "\(line.fields)"].filter { !$0.isEmpty }
        told.withLock { $0.logged.append(words.joined(separator: " ")) }
    }

    /// Keeps a line that the app prints.
    func print(_ line: String) -> Bool {
        let ready = told.withLock { told in
            told.lines.append(line)
            return told.ready()
        }
        for continuation in ready { continuation.resume() }
        return true
    }

    /// Checks `text` as the manifest `app.toml` of a folder, for which `library` is compiled to `lib.so`; that may
    /// include the manifest's header as `app.h`.
    static func manifest(
        _ text: String, library: String? = nil, compiler: String = "cc", in folder: TemporaryFolder
    ) throws -> Manifest {
        let path = try folder.write("app.toml", "app.name = \"test\"\n" + WorkerMode.applied(to: text))
        if let library {
            if library.contains("#include \"app.h\"") {
                let header = PluginHeader.text(of: try checked(App.loadDeclarations(path: path)))
                try folder.write("app.h", header)
            }
            let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
            _ = try CCompiler(compiler).sharedObject(
                library, in: folder, as: "lib.so",
                flags: ["-I\(include)", "-I\(folder.root.path)", "-pthread"])
        }
        return try checked(App.loadManifest(path: path))
    }

    private static func checked(_ loaded: Manifest.Loaded) throws -> Manifest {
        guard let manifest = loaded.manifest else {
            throw Faulty(description: DiagnosticRenderer().render(loaded.diagnostics, in: "app.toml"))
        }
        return manifest
    }

    /// Loads and runs to the end.
    func run(
        _ text: String, library: String? = nil, compiler: String = "cc", plugin: CompiledPlugin? = nil
    ) async throws -> AppEnd {
        let app = try app(text, library: library, compiler: compiler, plugin: plugin)
        defer { app.close() }
        return await app.start(observer: self).finished()
    }
}
