public import Foundation

/// A file of `Tests/Fixtures/plugins`, compiled to a shared object.
public final class CompiledFixture: Sendable {
    private let folder: TemporaryFolder

    /// The shared object.
    public var file: URL { folder.url("lib.so") }

    /// - Parameter name: the file's name, such as `emits.c`.
    public init(_ name: String) throws {
        folder = try TemporaryFolder()
        let source = Project.root.appendingPathComponent("Tests/Fixtures/plugins/\(name)")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler(name.hasSuffix(".cpp") ? "c++" : "cc").sharedObject(
            try String(contentsOf: source, encoding: .utf8), in: folder, as: "lib.so",
            flags: ["-I\(include)", "-pthread", "-w"])
    }
}
