import Foundation
import TestSupport
import Testing

/// The switch that runs the tests' plugins in workers: `SPIN_ISOLATION=process` in the environment.
enum WorkerMode {
    static let isOn = ProcessInfo.processInfo.environment["SPIN_ISOLATION"] == "process"

    /// The program of workers: the one that was built with the tests.
    static let program = Project.root.appendingPathComponent(".build/debug/spinhost").path

    private static let temporary = FileManager.default.temporaryDirectory.path

    /// Libraries of tests read and write temporary files.
    private static let keys = """
        isolation = "process"
        sandbox = { read = ["\(temporary)"], write = ["\(temporary)"] }
        """

    /// The lines that each plugin's table has more than the test has written.
    static let addedLines = isOn ? 2 : 0

    /// The manifest, in which each plugin with a table of its own says that it runs in a worker.
    ///
    /// Plugins with native reducers cannot, and those that say how they are isolated do not.
    static func applied(to manifest: String) -> String {
        guard isOn, !manifest.contains("isolation"), !manifest.contains("reducer = ") else { return manifest }
        return manifest.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isTable =
                line.hasPrefix("[plugins.") && line.hasSuffix("]") && line.filter { $0 == "." }.count == 1
            return isTable ? "\(line)\n\(keys)" : String(line)
        }.joined(separator: "\n")
    }
}

extension Trait where Self == ConditionTrait {
    /// Only with plugins in the process of the tests, for this reason.
    static func inThisProcess(_ reason: Comment) -> Self { .disabled(if: WorkerMode.isOn, reason) }
}
