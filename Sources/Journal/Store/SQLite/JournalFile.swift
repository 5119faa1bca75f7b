import CLinux
import Glibc

/// Where the file of a journal is.
struct JournalFile {
    /// The path as the caller gave it, for messages.
    let given: String
    /// The path without symbolic links, so that all names of a file have one lock.
    let path: String
    var lockPath: String { path + "-lock" }
    var logPath: String { path + "-wal" }
    var folder: String { Self.folder(of: path) }

    /// Finds a file, or the place for a new one.
    ///
    /// - Throws: `.inaccessible` when a folder of the path does not exist or cannot be searched.
    init(_ given: String) throws(JournalError) {
        self.given = given
        guard !given.isEmpty, !given.utf8.contains(0) else {
            throw JournalError(.inaccessible, "`\(given)` cannot be the name of a journal")
        }
        var path = given
        // A dangling link names the file to make, and may name another link. Linux follows at most 40.
        for _ in 0..<40 {
            if let real = Self.realPath(path) {
                self.path = real
                return
            }
            let number = errno
            guard number == ENOENT else { throw Self.inaccessible(given, number) }
            guard let target = Self.target(of: path) else { break }
            path = target.hasPrefix("/") ? target : "\(Self.folder(of: path))/\(target)"
        }
        guard let folder = Self.realPath(Self.folder(of: path)) else { throw Self.inaccessible(given, errno) }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !name.isEmpty, name != ".", name != ".." else { throw Self.inaccessible(given, ENOENT) }
        self.path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// A file that messages call by another name than its path.
    init(given: String, path: String) { (self.given, self.path) = (given, path) }

    /// The file's device, its number and its size. Nil if the file does not exist.
    ///
    /// - Throws: `.inaccessible` when it is no file.
    func status() throws(JournalError) -> stat? {
        guard let status = Self.status(of: path) else {
            guard errno == ENOENT else { throw inaccessible(errno) }
            return nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status
        case S_IFDIR: throw inaccessible(EISDIR)
        default: throw JournalError(.inaccessible, "`\(given)` cannot be opened: not a regular file")
        }
    }

    /// Whether the log has pages.
    var hasLog: Bool { (Self.status(of: logPath)?.st_size ?? 0) > 0 }

    /// Whether locks and shared memory may not hold, as the file is on NFS, SMB, 9p, AFS, Ceph or FUSE.
    var hasUnreliableLocks: Bool {
        // Safe because the path is a NUL-terminated copy for the call.
        let kind = unsafe UInt32(truncatingIfNeeded: linux_file_system(folder))
        return [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x5346_414f, 0x00c3_6400, 0x6573_5546]
            .contains(kind)
    }

    /// The name that SQLite takes as a URI with a parameter.
    func uri(_ parameter: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var name: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.append(byte)
            default: name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return "file:\(String(decoding: name, as: UTF8.self))?\(parameter)"
    }

    func inaccessible(_ number: Int32) -> JournalError { Self.inaccessible(given, number) }

    private static func inaccessible(_ path: String, _ number: Int32) -> JournalError {
        JournalError(.inaccessible, "`\(path)` cannot be opened: \(systemText(number))")
    }

    static func status(of path: String) -> stat? {
        var status = stat()
        // Safe because path and structure live for the call.
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Whether a file begins as databases of SQLite do.
    static func isDatabase(_ path: String) -> Bool {
        // Not a pipe: what was read of it would be missing later.
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return false }
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let magic = Array("SQLite format 3\0".utf8)
        var begin = [UInt8](repeating: 0, count: magic.count)
        // Safe because the call writes at most as many bytes as the array has.
        return unsafe pread(descriptor, &begin, begin.count, 0) == magic.count && begin == magic
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func realPath(_ path: String) -> String? {
        // Safe because the C library makes the string, which is copied and freed.
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func target(of path: String) -> String? {
        // Safe because the call writes at most as many bytes as the buffer has.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            let count = unsafe readlink(path, buffer.baseAddress!, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }
}
