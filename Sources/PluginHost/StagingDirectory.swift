import Glibc
import HostLoop

/// A private folder for the copies of libraries that a host maps, so that nobody rewrites code that is
/// running.
///
/// The folder is `spinhost-XXXXXX` under `$TMPDIR` or `/tmp`, readable by its owner only and never shared:
/// any number of hosts, in one process or in several, have one each. It is removed by `close()` or when the
/// last reference goes; a library that was mapped from it stays mapped and works on. May be used from any
/// thread.
public final class StagingDirectory: Sendable {
    /// The folder's absolute path.
    public let path: String

    private struct Contents {
        var sequence = 0
        var isClosed = false
    }

    private let contents = Lock(Contents())

    /// Makes the folder.
    ///
    /// - Throws: `DiagnosticCode.notStaged` when it cannot be made.
    public init() throws(PluginError) {
        // Safe because the C library's strings are copied at once, and `mkdtemp` writes the template it is
        // given.
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        let base = parent.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(base)/spinhost-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard made else {
            throw PluginError(
                .notStaged,
                "cannot make a folder for copies of libraries in `\(base)`: \(SystemError.last.text)",
                help: ["set TMPDIR to a folder that can be written"])
        }
        path = unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
    }

    deinit { close() }

    /// Removes the folder and all copies in it; harmless when repeated. Nothing can be staged afterwards.
    public func close() {
        let isFirst = contents.withLock { contents in
            defer { contents.isClosed = true }
            return !contents.isClosed
        }
        if isFirst { Self.remove(path) }
    }

    /// Copies the file at `source` to `SEQUENCE-HASH/NAME` in this folder, reading it once, through one
    /// descriptor.
    ///
    /// - Throws: `DiagnosticCode.notStaged` when the copy cannot be written; as `FileDescriptor.reading` for
    ///   the source.
    func stage(_ source: String) throws(PluginError) -> String {
        let sequence = contents.withLock { contents -> Int? in
            contents.sequence += 1
            return contents.isClosed ? nil : contents.sequence
        }
        guard let sequence else {
            throw PluginError(.notStaged, "the folder for copies of libraries is closed", library: source)
        }
        let input = try FileDescriptor.reading(source)
        let folder = "\(path)/\(sequence)"
        // Safe because the paths are borrowed for the calls.
        guard unsafe mkdir(folder, 0o700) == 0 else { throw .notStaged(folder) }
        let name = source.split(separator: "/").last.map(String.init) ?? source
        let hash = try input.copy(to: "\(folder)/\(name)", source: source)
        let final = "\(folder)-\(hash)"
        guard unsafe rename(folder, final) == 0 else { throw .notStaged(final) }
        return "\(final)/\(name)"
    }

    private static func remove(_ folder: String) {
        // Safe because the entries are read before the next call on the same directory, which one thread
        // makes.
        guard let directory = unsafe opendir(folder) else { return }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            guard name != ".", name != ".." else { continue }
            let child = "\(folder)/\(name)"
            if unsafe unlink(child) != 0 { remove(child) }
        }
        unsafe closedir(directory)
        unsafe rmdir(folder)
    }
}

extension PluginError {
    /// The copy at `path` cannot be written; the reason is this thread's `errno`.
    static func notStaged(_ path: String) -> PluginError {
        PluginError(
            .notStaged, "cannot write `\(path)`: \(SystemError.last.text)",
            help: ["set TMPDIR to a folder with room for a copy of each plugin"])
    }
}
