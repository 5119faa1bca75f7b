import Glibc
import Interfaces

/// An open file, which closes itself after its last use.
package struct FileDescriptor: ~Copyable {
    /// Its number; negative for none.
    package let number: Int32

    /// Owns a descriptor from now on.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a regular file for reading.
    ///
    /// - Throws: `fileMissing`, `fileIsDirectory`, `fileIsSpecial` or `fileUnreadable`.
    static func reading(_ path: String) throws(PluginError) -> FileDescriptor {
        // Safe because the path is borrowed for the call. `O_NONBLOCK`, as opening a pipe without a writer
        // would block.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            let error = SystemError.last
            throw PluginError(
                error.number == ENOENT ? .fileMissing : .fileUnreadable,
                "cannot read `\(path)`: \(error.text)",
                library: path)
        }
        let opened = FileDescriptor(number)
        var status = stat()
        // Safe because `status` is a local.
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PluginError(
                status.st_mode & S_IFMT == S_IFDIR ? .fileIsDirectory : .fileIsSpecial,
                "`\(path)` is not a file", help: ["name a shared library"], library: path)
        }
        return opened
    }

    /// Checks whether the file may be loaded; nil: any may.
    ///
    /// - Throws: `libraryNotAllowed`.
    func check(_ allowed: AllowedLibraries?, _ path: String) throws(PluginError) {
        do { try allowed?.check(descriptor: number, path: path) } catch {
            throw PluginError(error, library: path)
        }
    }

    /// Reads the file at a path as a library; the parameters are those of `library(_:sha256:)`.
    static func library(
        _ file: String, _ path: String, sha256: String? = nil
    ) throws(PluginError) -> ELFFile {
        try reading(file).library(path, sha256: sha256)
    }

    /// Reads the file as a library. Its position does not change.
    ///
    /// - Parameters:
    ///   - path: the name for the file in messages.
    ///   - sha256: the hash that the file must have; nil for any.
    func library(_ path: String, sha256: String? = nil) throws(PluginError) -> ELFFile {
        do {
            if let sha256 { try LibraryHash.check(sha256, descriptor: number, path: path) }
            return try ELFFile(descriptor: number, path: path)
        } catch { throw PluginError(error, library: path) }
    }

    /// Copies the file from its current position to a new file at `target`, and returns a `ContentHash` of
    /// it.
    func copy(to target: String, source: String) throws(PluginError) -> String {
        // Safe because the path is borrowed for the call.
        let created = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
        guard created >= 0 else { throw .notStaged(target) }
        let output = FileDescriptor(created)
        // Safe because the bytes are written before this returns.
        return unsafe try hash(source) { bytes throws(PluginError) in
            guard unsafe output.write(bytes) else { throw .notStaged(target) }
        }
    }

    /// Overwrites bytes of the file at a path.
    static func write(_ patches: [ELFFile.Patch], to path: String) throws(PluginError) {
        // Safe because the path is borrowed for the call.
        let opened = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard opened >= 0 else { throw .notStaged(path) }
        let output = FileDescriptor(opened)
        for patch in patches {
            // Safe because the call reads as many bytes as there are.
            let count = unsafe patch.bytes.withUnsafeBytes { bytes in
                unsafe pwrite(output.number, bytes.baseAddress, bytes.count, off_t(patch.offset))
            }
            guard count == patch.bytes.count else { throw .notStaged(path) }
        }
    }

    /// The `ContentHash` of the file from its current position.
    func hash(_ source: String) throws(PluginError) -> String {
        // Safe because the closure ignores the bytes.
        unsafe try hash(source) { (_) throws(PluginError) in }
    }

    private func hash(
        _ source: String, _ take: (UnsafeRawBufferPointer) throws(PluginError) -> Void
    ) throws(PluginError) -> String {
        var hash = ContentHash()
        // Safe because each read gets the size that is left of the buffer, which is freed after the last use.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var isEnd = false
        while !isEnd {
            // Only the last piece is shorter than the buffer.
            var filled = 0
            while filled < buffer.count, !isEnd {
                let count = unsafe read(number, buffer.baseAddress! + filled, buffer.count - filled)
                guard count >= 0 || errno == EINTR else {
                    throw PluginError(
                        .fileUnreadable, "cannot read `\(source)`: \(SystemError.last.text)", library: source)
                }
                filled += max(0, count)
                isEnd = count == 0
            }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
            unsafe hash.update(bytes)
            unsafe try take(bytes)
        }
        return hash.hex
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Safe because `rest` always lies within the caller's bytes.
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(number, rest.baseAddress!, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}
