public import Foundation

/// A folder for one test. The last release removes it.
public final class TemporaryFolder: Sendable {
    /// The folder's URL.
    public let root: URL

    /// - Parameter suffix: the end of its name.
    public init(suffix: String = "") throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "spinhost-test-\(UUID().uuidString)\(suffix)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// A path in the folder.
    public func url(_ name: String) -> URL { root.appendingPathComponent(name) }

    /// A named pipe.
    public func pipe(_ name: String) throws -> URL {
        // Safe because the path is borrowed for the call.
        guard unsafe mkfifo(url(name).path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return url(name)
    }

    /// Writes a file, in a folder that need not exist, and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(name))
        return url(name).path
    }
}
