import Dispatch
import Glibc
import HostLoop
import Interfaces

/// A private folder for the copies of libraries that a host maps, so that nobody rewrites code that is
/// running.
///
/// The folder is `spinhost-XXXXXX` under `$TMPDIR` or `/tmp`, readable by its owner only and never shared:
/// any number of hosts, in one process or in several, have one each. It is removed by `close()` or when the
/// last reference goes; a library that was mapped from it stays mapped and works on. What a host left behind
/// that was killed, the next one of the same user removes. May be used from any thread.
public final class StagingDirectory: Sendable {
    /// The folder's absolute path.
    public let path: String

    private struct Contents {
        var sequence = 0
        var isClosed = false
    }

    /// The name of a folder whose copy is gone, and which the next copy takes.
    private static let vacant = ".vacant"
    /// Held while a folder becomes vacant, and while all are removed.
    private static let removing = Lock(())

    private let contents = Lock(Contents())
    private let mark: StagingMark

    /// Makes the folder, and removes those of hosts that are gone.
    ///
    /// - Parameters:
    ///   - parent: where to make it; `$TMPDIR` or else `/tmp` by default.
    ///   - sweeping: is given the removal to do; by default it does it at once (`meanwhile`).
    /// - Throws: `DiagnosticCode.notStaged` when it cannot be made.
    public init(
        in parent: String? = nil,
        sweeping: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) throws(PluginError) {
        // Safe because the C library's string is copied at once.
        let temporary = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        let base = parent ?? temporary.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        while true {
            let made = try Self.make(in: base)
            // Once more when a host that sweeps has met the folder before it was marked.
            guard let mark = try StagingMark(for: made) else { continue }
            (path, self.mark) = (made, mark)
            break
        }
        sweeping { StagingMark.sweep(base) }
    }

    /// Does the work on another thread: a folder for temporary files may have many thousand names in it.
    public static func meanwhile(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .utility).async(execute: work)
    }

    private static func make(in base: String) throws(PluginError) -> String {
        var template = Array("\(base)/\(StagingMark.prefix)XXXXXX".utf8CString)
        // Safe because `mkdtemp` writes the template it is given.
        let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard made else {
            throw PluginError(
                .notStaged,
                "cannot make a folder for copies of libraries in `\(base)`: \(SystemError.last.text)",
                help: ["set TMPDIR to a folder that can be written"])
        }
        return unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
    }

    deinit { close() }

    /// Removes the folder and all copies in it; harmless when repeated. Nothing can be staged afterwards.
    public func close() {
        let isFirst = contents.withLock { contents in
            defer { contents.isClosed = true }
            return !contents.isClosed
        }
        if isFirst { Self.removing.withLock { _ in mark.removeFolder(path) } }
    }

    /// Removes a copy and the links that were laid for it, and keeps its folder for the next one: file systems take
    /// longer to make a folder than to copy a library. A library that is mapped from the copy stays mapped.
    static func vacate(_ copy: String, removing links: [String] = []) {
        let folder = folder(of: copy)
        removing.withLock { _ in
            // Safe because the paths are borrowed for the calls, which fail when the folder for copies is gone already.
            for path in links + [copy] { _ = unsafe unlink(path) }
            // Safe because of the same. A folder that is vacant already is replaced, one with something in it stays.
            guard unsafe rmdir(folder) == 0 else { return }
            _ = unsafe mkdir("\(Self.folder(of: folder))/\(vacant)", 0o700)
        }
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Copies the library at `source` into this folder, reading it once, through one descriptor, and with it those
    /// private libraries of which this process has another version.
    ///
    /// - Parameter sha256: the hash that the file must have, 64 hexadecimal digits; the copy is checked.
    /// - Throws: `PluginError`: a copy cannot be written (`DiagnosticCode.notStaged`), a file cannot be read or is no
    ///   library for this machine (the codes of `Interfaces`), it has another hash, or a private library has
    ///   changed and cannot be loaded beside the version before (`DiagnosticCode.privateLibraryStays`).
    public func stage(_ source: String, sha256: String? = nil) throws(PluginError) -> StagedLibrary {
        let copy = try copy(source)
        do throws(PluginError) {
            let file = try FileDescriptor.library(copy.path, source, sha256: sha256)
            let libraries = try PrivateLibraries(of: file, copiedTo: copy.path, in: self)
            return StagedLibrary(
                original: source, path: copy.path, hash: libraries.hash(with: copy.hash), file: file,
                libraries)
        } catch {
            Self.vacate(copy.path)
            throw error
        }
    }

    /// Links `target` to `name` in a folder within this one, which it makes; the link's path, or nil when it cannot be
    /// laid, as there is one already.
    func layLink(to target: String, in folder: String, as name: String) -> String? {
        var (path, depth) = (self.path, 0)
        // Safe because the paths are borrowed for the calls.
        for part in folder.dropFirst(path.count).split(separator: "/") where part != "." {
            depth += part == ".." ? -1 : 1
            guard depth >= 0 else { return nil }
            path += "/\(part)"
            _ = unsafe mkdir(path, 0o700)
        }
        return unsafe symlink(target, "\(path)/\(name)") == 0 ? "\(path)/\(name)" : nil
    }

    /// Copies the file at `source` to `SEQUENCE-HASH/NAME` in this folder.
    ///
    /// - Parameter name: the copy's name; nil: that of the source.
    /// - Returns: the copy's path, and a `ContentHash` of it.
    func copy(
        _ source: String, as name: String? = nil
    ) throws(PluginError) -> (path: String, hash: String) {
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
        if unsafe rename("\(path)/\(Self.vacant)", folder) != 0 {
            guard unsafe mkdir(folder, 0o700) == 0 else { throw .notStaged(folder) }
        }
        let name =
            name ?? source.lastIndex(of: "/").map { String(source[source.index(after: $0)...]) } ?? source
        do throws(PluginError) {
            let hash = try input.copy(to: "\(folder)/\(name)", source: source)
            let final = "\(folder)-\(hash)"
            guard unsafe rename(folder, final) == 0 else { throw .notStaged(final) }
            return ("\(final)/\(name)", hash)
        } catch {
            // What was written of it must not take the room of the next one.
            Self.vacate("\(folder)/\(name)")
            throw error
        }
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
