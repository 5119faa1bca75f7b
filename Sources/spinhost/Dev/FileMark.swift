import Glibc

/// What tells, without reading it, that a file is another one or has been written to.
struct FileMark: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// That of the file or folder at `path`; a link is followed. Nil if nothing is there, and for an empty file unless it
    /// may be empty.
    init?(_ path: String, mayBeEmpty: Bool = false) {
        var status = stat()
        // Safe because path and status are borrowed for the call.
        guard unsafe stat(path, &status) == 0, mayBeEmpty || status.st_size > 0 else { return nil }
        (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// Whether a write now could leave the same mark, as the kernel's clock of files moves in ticks. A time in the
    /// future says nothing, and does not count.
    var isFresh: Bool {
        var now = timespec()
        // Safe because the time is borrowed for the call.
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let age = (now.tv_sec - seconds, now.tv_nsec - nanoseconds)
        let (written, tick) = ((age.0 &* 1_000_000_000) &+ age.1, 20_000_000)
        return (0..<tick).contains(written)
    }

    /// Whether this file was written to after the other one was.
    func isNewer(than other: FileMark) -> Bool {
        (seconds, nanoseconds) > (other.seconds, other.nanoseconds)
    }
}
