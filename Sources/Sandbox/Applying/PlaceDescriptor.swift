internal import CSandbox
import Glibc

/// A descriptor of a file's place, which can neither be read nor written. It closes itself after its last
/// use.
struct PlaceDescriptor: ~Copyable {
    let number: Int32
    private let mode: mode_t

    /// Opens the file that the path leads to; nil with an `errno`, ELOOP for a path with a symbolic link if it
    /// follows none.
    init?(_ path: String, followsLinks: Bool = true) {
        // Safe because the path is borrowed for the call.
        let opened = unsafe sandbox_open_place(path, followsLinks)
        guard opened >= 0 else { return nil }
        number = opened
        var status = stat()
        // Safe because `status` is a local.
        mode = unsafe fstat(opened, &status) == 0 ? status.st_mode : 0
    }

    deinit { close(number) }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isDevice: Bool { mode & S_IFMT == S_IFCHR || mode & S_IFMT == S_IFBLK }

    /// The absolute path, without symbolic links; nil for a file that has none.
    var path: String? { Self.target("/proc/self/fd/\(number)") }

    /// What a symbolic link has in it.
    static func target(_ link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        // Safe because the call writes at most as many bytes as there are but one.
        let count = unsafe readlink(link, &bytes, bytes.count - 1)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
