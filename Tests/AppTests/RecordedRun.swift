import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
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
    }

    private let told = Lock(Told())

    /// `event(payload) state`, both as JSON, in order.
    var steps: [String] { told.withLock { $0.steps } }
    /// `loop step part: message`, in order.
    var faults: [String] { told.withLock { $0.faults } }
    /// Where the event of each step came from.
    var origins: [String] { told.withLock { $0.origins } }
    /// What the app printed.
    var lines: [String] { told.withLock { $0.lines } }

    func started(loop: String, state: Record) {
        told.withLock { $0.steps.append(state.value.json) }
    }

    func stepped(_ step: AppStep) {
        told.withLock {
            $0.steps.append("\(step.event)\(step.payload.value.json) \(step.after.value.json)")
            $0.origins.append(step.origin)
        }
    }

    func faulted(_ fault: AppFault) {
        told.withLock {
            $0.faults.append("\(fault.loop) \(fault.step) \(fault.part): \(fault.diagnostic.message)")
        }
    }

    /// Loads `text` as the manifest of a folder, in which `library` was compiled to `lib.so`.
    func app(_ text: String, library: String? = nil, clock: any LoopClock = ContinuousLoopClock()) throws
        -> App
    {
        let folder = try TemporaryFolder()
        if let library {
            let header = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
            _ = try CCompiler().sharedObject(
                library, in: folder, as: "lib.so", flags: ["-I\(header)", "-pthread"])
        }
        let loaded = App.loadManifest(path: try folder.write("app.toml", "app.name = \"test\"\n" + text))
        guard let manifest = loaded.manifest else {
            throw Faulty(description: DiagnosticRenderer().render(loaded.diagnostics, in: "app.toml"))
        }
        return try App(
            manifest, clock: clock, log: { _ in },
            output: { [self] line in
                told.withLock { $0.lines.append(line) }
                return true
            })
    }

    /// Loads and runs to the end.
    func run(_ text: String, library: String? = nil) async throws -> AppEnd {
        let app = try app(text, library: library)
        defer { app.close() }
        return await app.start(observer: self).end()
    }
}
