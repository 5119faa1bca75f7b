public import Foundation

/// A folder of its own for one test, removed with the last reference.
public final class TemporaryFolder: Sendable {
    /// The folder's place.
    public let root: URL

    /// - Parameter suffix: what its name ends with.
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

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url(name))
        return url(name).path
    }
}
