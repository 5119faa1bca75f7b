import App
import Diagnostics
import HostLoop
import Manifest

/// Makes the apps of rows.
enum BenchApp {
    static func load(_ path: String, clock: any LoopClock = ContinuousLoopClock()) throws -> App {
        let loaded = App.loadManifest(path: path)
        guard let manifest = loaded.manifest else {
            throw BenchFault("\(path) is invalid: \(loaded.diagnostics.map(\.message))")
        }
        return try App(manifest, clock: clock, log: { _ in }, output: { _ in true })
    }
}
