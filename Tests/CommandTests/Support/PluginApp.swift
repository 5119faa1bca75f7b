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

/// Feedbacks of the loop `main` in the apps of several plugins' tests.
enum PluginApp {
    /// Each line of the app's input becomes an event.
    static func input(_ event: String) -> String {
        """
        [loops.main.feedback.input]
        effect      = "std:lines"
        args        = { path = "'-'" }
        emits.line  = { event = "\(event)", text = "value.text" }
        emits.ended = []
        """
    }

    /// Each event `said` is a line of the app's output.
    static let print = """
        [loops.main.feedback.print]
        effect = "std:print"
        on     = "said"
        args   = { text = "event.text" }
        """

    /// The line of a feedback whose failures become events `said`, each with its number and its reason.
    static let failure =
        #"on-error = { event = "said", text = "'%d %s'.format([error.code, error.message])" }"#
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
    /// Ends an app in order; what it has written to its standard error output.
    @discardableResult
    func endInOrder() -> String {
        kill(identifier, SIGTERM)
        let end = end()
        #expect(end.status == 0, "\(end.errors)")
        return end.errors
    }
}
