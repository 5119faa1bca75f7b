import Glibc

/// A regular file that is read in pieces. It is never mapped, because it may be cut or overwritten at any
/// time.
struct FileBytes: ~Copyable {
    /// The path for messages.
    let path: String
    /// Its size in bytes when it was opened.
    let size: UInt64

    private let descriptor: Int32

    /// Opens a file. It refuses pipes and devices without opening them.
    init(path: String) throws(InterfaceError) {
        guard !path.utf8.contains(0) else {
            throw InterfaceError(.libraryName, "the library's name contains a NUL character")
        }
        var status = stat()
        // Safe because the path is NUL-terminated for the call and `status` is a local.
        guard unsafe stat(path, &status) == 0 else { throw Self.failed(path, errno) }
        _ = try Self.sizeOfRegularFile(status, path)
        // The file may have become a pipe meanwhile. With O_NONBLOCK, opening one does not wait for its other
        // end. Safe because the path is NUL-terminated for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failed(path, errno) }
        try self.init(owning: descriptor, path: path)
    }

    /// Reads through a duplicate of an open descriptor. The caller keeps its descriptor.
    init(descriptor: Int32, path: String) throws(InterfaceError) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { throw Self.failed(path, errno) }
        try self.init(owning: duplicate, path: path)
    }

    private init(owning descriptor: Int32, path: String) throws(InterfaceError) {
        var status = stat()
        // Safe because `status` is a local.
        guard unsafe fstat(descriptor, &status) == 0 else {
            let number = errno
            close(descriptor)
            throw Self.failed(path, number)
        }
        do {
            size = try Self.sizeOfRegularFile(status, path)
        } catch {
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit { close(descriptor) }

    /// Reads exactly `count` bytes from `offset`.
    ///
    /// - Throws: `fileTruncated`, which names `what`, if the file ends before.
    func read(_ what: String, at offset: UInt64, count: Int) throws(InterfaceError) -> [UInt8] {
        guard let end = UInt64.end(of: offset, UInt64(count)), end <= size else { throw truncated(what) }
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Safe because at most the rest of the buffer is filled.
            while filled < count, let base = buffer.baseAddress {
                let got = unsafe pread(descriptor, base + filled, count - filled, off_t(offset) + filled)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { break }
                filled += got
            }
        }
        guard failure == 0 else { throw Self.failed(path, failure) }
        guard bytes.count == count else { throw truncated(what) }
        return bytes
    }

    /// The error for a file that ends before `what` does.
    func truncated(_ what: String) -> InterfaceError {
        InterfaceError(
            .fileTruncated, "`\(path)` is truncated: its \(size) bytes end before \(what) does",
            help: ["build or copy it again, and wait until that is complete"])
    }

    /// The error for a file with contradictory content.
    func malformed(_ reason: String) -> InterfaceError {
        InterfaceError(.fileMalformed, "`\(path)` is malformed: \(reason)", help: ["build it again"])
    }

    private static func sizeOfRegularFile(_ status: stat, _ path: String) throws(InterfaceError) -> UInt64 {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return UInt64(max(0, status.st_size))
        case S_IFDIR:
            throw InterfaceError(
                .fileIsDirectory, "`\(path)` is a directory, expected a shared library",
                help: ["name the file in it"])
        case let kind:
            let word = [S_IFIFO: "a pipe", S_IFSOCK: "a socket", S_IFCHR: "a device", S_IFBLK: "a device"][
                kind]
            throw InterfaceError(
                .fileIsSpecial, "`\(path)` is \(word ?? "not a regular file"), expected a shared library",
                help: ["name a regular file"])
        }
    }

    private static func failed(_ path: String, _ number: Int32) -> InterfaceError {
        guard number != ENOENT, number != ENOTDIR else {
            return InterfaceError(
                .fileMissing, "there is no file `\(path)`",
                help: ["build it, or correct the name of the library"])
        }
        // Safe because the text is copied at once.
        let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return InterfaceError(
            .fileUnreadable, "`\(path)` cannot be read: \(reason.lowercased())",
            help: number == EACCES ? ["allow it with `chmod +r`, also its folders with `chmod +x`"] : [])
    }
}

extension UInt64 {
    /// `start` plus `count`; nil on overflow.
    static func end(of start: UInt64, _ count: UInt64) -> UInt64? {
        let (sum, overflow) = start.addingReportingOverflow(count)
        return overflow ? nil : sum
    }
}

extension [UInt8] {
    /// The little-endian number at a byte offset.
    ///
    /// - Precondition: the number is within the array.
    func number<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self) -> Integer {
        var value: Integer = 0
        for index in (0..<Integer.bitWidth / 8).reversed() {
            value = (value << 8) | Integer(truncatingIfNeeded: self[offset + index])
        }
        return value
    }

    /// The bytes from `offset` up to a NUL; nil if no NUL follows.
    func text(at offset: Int) -> ArraySlice<UInt8>? {
        guard offset < count, let end = self[offset...].firstIndex(of: 0) else { return nil }
        return self[offset..<end]
    }
}
