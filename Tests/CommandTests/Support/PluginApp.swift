import Foundation
import TestSupport
import Testing

/// How the plugin of a test runs.
enum PluginMode: String, CaseIterable {
    case inline, process

    /// The lines of the plugin in a manifest, of which a worker needs `sandbox`, such as `connect = ["tcp:80"]`.
    func lines(sandbox: String) -> String {
        self == .inline ? "" : "isolation = \"process\"\nsandbox = { \(sandbox) }"
    }
}

extension TemporaryFolder {
    /// Starts an app, whose output the test reads as it comes.
    func start(_ manifest: String, environment: [String: String] = [:]) throws -> RunningProgram {
        try write("app.toml", manifest)
        return try RunningProgram(["run", "--quiet"], in: root, environment: environment)
    }

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
