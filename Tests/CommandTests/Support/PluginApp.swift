import Foundation
import TestSupport
import Testing

/// How the plugin of a test runs.
enum PluginMode: String, CaseIterable { case inline, process }

extension TemporaryFolder {
    /// What an app prints that ends by itself.
    func run(_ manifest: String, environment: [String: String] = [:]) throws -> String {
        try write("app.toml", manifest)
        let outcome = try Shell.run(
            Project.spinhost, ["run", "--quiet"], in: root, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }
}

extension RunningProgram {
    /// Ends an app in order.
    func endInOrder() {
        kill(identifier, SIGTERM)
        let end = end()
        #expect(end.status == 0, "\(end.errors)")
    }
}
