import Foundation
import TestSupport

/// A shared object that the compiler made of a plugin's source.
final class CompiledPlugin: Sendable {
    private let folder: TemporaryFolder

    /// The shared object.
    var file: URL { folder.url("lib.so") }

    /// `Tests/Fixtures/plugins/feedbacks.c`, compiled once for all tests.
    static let feedbacks = Result {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/feedbacks.c")
        return try CompiledPlugin(try String(contentsOf: file, encoding: .utf8))
    }

    /// - Parameter compiler: `cc`, or `c++` for sources that are C++.
    init(_ source: String, compiler: String = "cc") throws {
        folder = try TemporaryFolder()
        let header = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler(compiler).sharedObject(
            source, in: folder, as: "lib.so", flags: ["-I\(header)", "-pthread"])
    }
}
