internal import CSandbox
import Glibc

/// The memory and the folders of a thread whose system call waits.
///
/// A thread that runs on meanwhile can change both, so nothing here may decide what the kernel allows.
struct ProcessView {
    /// The process that has applied the policy.
    let process: Int32
    let thread: Int32

    /// `AT_FDCWD`: the current folder.
    static let currentFolder: Int32 = -100

    /// Up to `count` bytes at an address, fewer where the memory ends; nil if the first one cannot be read.
    ///
    /// - Parameter isText: whether a page is enough that has a NUL character.
    func bytes(at address: UInt64, count: Int, isText: Bool = false) -> [UInt8]? {
        // Safe because the call gets the size of the room, and writes as many as it returns.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            // A read fails as a whole if one of its pages does.
            while filled < count {
                let next = address &+ UInt64(filled)
                let inPage = 4_096 - Int(next & 4_095)
                let size = min(count - filled, inPage)
                let got = unsafe sandbox_read_memory(thread, next, room.baseAddress! + filled, size)
                guard got > 0 else { break }
                filled += got
                if isText, unsafe room[(filled - got)..<filled].contains(0) { break }
            }
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The text at an address, up to its NUL character.
    func text(at address: UInt64) -> String? {
        guard let bytes = bytes(at: address, count: Int(PATH_MAX), isText: true),
            let end = bytes.firstIndex(of: 0)
        else {
            return nil
        }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The path, without symbolic links, of the file that a call names.
    ///
    /// - Parameters:
    ///   - folder: the descriptor that a relative path begins at.
    ///   - isEntry: whether the call is about the entry in its folder, and not about the file that a link leads to.
    /// - Returns: the path, and whether there is such a file; nil if there is no such folder either.
    func resolve(_ path: String, from folder: Int32, isEntry: Bool = false) -> (path: String, exists: Bool)? {
        let seen = seen(path, from: folder)
        if !isEntry, let place = PlaceDescriptor(seen) {
            return place.path.map { ($0, true) }
        }
        var parts = seen.split(separator: "/")
        guard let last = parts.popLast(), last != "..", last != ".",
            let parent = PlaceDescriptor("/" + parts.joined(separator: "/"))?.path
        else { return nil }
        let entry = parent == "/" ? "/\(last)" : "\(parent)/\(last)"
        return (entry, isEntry && Self.exists(entry))
    }

    /// Whether a descriptor is that of a socket for datagrams, as far as the system tells.
    func isDatagramSocket(_ descriptor: Int32) -> Bool { sandbox_socket_type(owner, descriptor) == 2 }

    /// A path as the thread sees it, for this process to use.
    private func seen(_ path: String, from folder: Int32) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else {
            let start = folder == Self.currentFolder ? "cwd" : "fd/\(folder)"
            return path.isEmpty ? "/proc/\(thread)/\(start)" : "/proc/\(thread)/\(start)/\(path)"
        }
        for (own, theirs) in [
            ("/proc/self", "/proc/\(owner)"), ("/proc/thread-self", "/proc/\(owner)/task/\(thread)"),
            ("/dev/fd", "/proc/\(owner)/fd"), ("/dev/stdin", "/proc/\(owner)/fd/0"),
            ("/dev/stdout", "/proc/\(owner)/fd/1"), ("/dev/stderr", "/proc/\(owner)/fd/2"),
        ] where path == own || path.hasPrefix(own + "/") {
            return theirs + path.dropFirst(own.count)
        }
        return path
    }

    /// The process of the thread, as far as it matters here: a child's main thread has the number of the
    /// child.
    private var owner: Int32 {
        Self.exists("/proc/\(process)/task/\(thread)") ? process : thread
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        // Safe because `status` is a local.
        return unsafe lstat(path, &status) == 0
    }
}
