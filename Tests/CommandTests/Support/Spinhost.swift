import Foundation
import TestSupport

/// Runs the program under test.
enum Spinhost {
    /// Where a shell finds the programs under test, and a compiler the header as it is when it is installed.
    static let environment = [
        "PATH": "\(Project.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
        "CPATH": Project.root.appendingPathComponent("Sources/CPluginABI/include").path,
    ]

    /// Runs `spinhost` with these arguments to its end.
    static func run(
        _ arguments: String..., in folder: TemporaryFolder? = nil, environment: [String: String] = [:],
        input: String = ""
    ) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder?.root, environment: environment, input: input)
    }

    /// The manifest of an example of this checkout.
    static func example(_ name: String) -> String {
        Project.root.appendingPathComponent("examples/\(name)/app.toml").path
    }
}
