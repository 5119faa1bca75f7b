import Dispatch
import Glibc
import HostLoop
public import Interfaces

/// A private folder for the copies of libraries that a host maps, so that no other program rewrites running
/// code.
///
/// The folder is `spinhost-XXXXXX` under `$TMPDIR` or `/tmp`. Only its owner can read it. Each host has its
/// own, even in one process. It is removed by `close()` or with the last reference. A library that was mapped
/// from it stays mapped and usable. If a host was killed, the next host of the same user removes its folder.
/// May be used from any thread.
public final class StagingDirectory: Sendable {
    /// The folder's absolute path.
    public let path: String
    /// The libraries that may be copied, and loaded beside a copy; nil: any may.
    let allowed: AllowedLibraries?

    private struct Contents {
        var sequence = 0
        var isClosed = false
    }

    /// The name of an empty folder, which the next copy uses.
    private static let vacant = ".vacant"
    /// Held while a copy is removed, and while the whole folder is removed.
    private static let removing = Lock(())

    private let contents = Lock(Contents())
    private let mark: StagingMark

    /// Makes the folder, and removes those of hosts that are gone.
    ///
    /// - Parameters:
    ///   - parent: the folder to make it in; by default `$TMPDIR` or else `/tmp`.
    ///   - allowed: the libraries that may be copied, and loaded beside a copy; nil: any may.
    ///   - sweeping: performs the removal of other folders; by default at once. `meanwhile` does it on
    ///     another thread.
    /// - Throws: `DiagnosticCode.notStaged` when it cannot be made.
    public init(
        in parent: String? = nil, allowing allowed: AllowedLibraries? = nil,
        sweeping: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) throws(PluginError) {
        self.allowed = allowed
        // Safe because the C library's string is copied at once.
        let temporary = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        let base = parent ?? temporary.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        while true {
            let made = try Self.make(in: base)
            // Another host may have removed the folder before it was marked: then make another one.
            guard let mark = try StagingMark(for: made) else { continue }
            (path, self.mark) = (made, mark)
            break
        }
        sweeping { StagingMark.sweep(base) }
    }

    /// Does the work on another thread, as a folder for temporary files may have many thousand entries.
    public static func meanwhile(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .utility).async(execute: work)
    }

    private static func make(in base: String) throws(PluginError) -> String {
        var template = Array("\(base)/\(StagingMark.prefix)XXXXXX".utf8CString)
        // Safe because `mkdtemp` only writes into the template, which is NUL-terminated.
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

    /// Removes the folder and all copies in it. Nothing can be staged afterwards. Further calls do nothing.
    public func close() {
        let isFirst = contents.withLock { contents in
            defer { contents.isClosed = true }
            return !contents.isClosed
        }
        if isFirst { Self.removing.withLock { _ in mark.removeFolder(path) } }
    }

    /// Removes a copy and its links, and keeps an empty folder for the next copy, as making a folder is
    /// slower than copying a library. A library that is mapped from the copy stays mapped.
    static func removeCopy(_ copy: String, removing links: [String] = []) {
        let folder = folder(of: copy)
        removing.withLock { _ in
            // Safe because the paths are borrowed for the calls, which fail when the folder for copies is
            // gone already.
            for path in links + [copy] { _ = unsafe unlink(path) }
            // Safe because the path is borrowed for the call. A folder that is not empty stays.
            guard unsafe rmdir(folder) == 0 else { return }
            _ = unsafe mkdir("\(Self.folder(of: folder))/\(vacant)", 0o700)
        }
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Copies the library at `source` into this folder. Private libraries are copied too, if this process has
    /// another version of them. The library's file is read once, through one descriptor.
    ///
    /// - Parameter sha256: the hash that the copy must have, 64 hexadecimal digits; nil for any.
    /// - Throws: `PluginError` when a copy cannot be written (`DiagnosticCode.notStaged`), a file cannot be
    ///   read, is no library for this machine or is not allowed (the codes of `Interfaces`), the library has another hash,
    ///   or a private library has changed and cannot be loaded beside the version before
    ///   (`DiagnosticCode.privateLibraryStays`). Once the library is copied, the error has a `hash`.
    public func stage(_ source: String, sha256: String? = nil) throws(PluginError) -> StagedLibrary {
        let copy = try copy(source)
        var libraries = PrivateLibraries(in: self)
        do throws(PluginError) {
            let file = try FileDescriptor.library(copy.path, source, sha256: sha256)
            try libraries.add(of: file, copiedTo: copy.path)
            return StagedLibrary(
                original: source, path: copy.path, hash: libraries.hash(with: copy.hash), file: file,
                libraries)
        } catch {
            Self.removeCopy(copy.path)
            var refusal = error
            refusal.hash = libraries.hash(ofRefused: copy.hash)
            throw refusal
        }
    }

    /// Makes the link `name` to `target` in a folder within this one, and the folder if there is none.
    ///
    /// - Returns: the link's path; nil if it cannot be made, such as when it exists already.
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
    /// - Parameter name: the copy's name; nil for the name of the source.
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
        try input.check(allowed, source)
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
            // An incomplete copy must not take up space that the next one needs.
            Self.removeCopy("\(folder)/\(name)")
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
