internal import CSandbox
import Glibc

/// A system call that waits, as what it tries to do.
struct ObservedCall {
    /// What a call tries to do. Parameters as the properties of `Access`.
    struct Attempt {
        let kind: Access.Kind
        let path: String
        let rulePath: String

        init(_ kind: Access.Kind, _ path: String, rulePath: String? = nil) {
            (self.kind, self.path, self.rulePath) = (kind, path, rulePath ?? path)
        }

        /// A file that is made, moved or removed.
        init(_ kind: Access.Kind, inFolder path: String) {
            let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
            self.init(kind, path, rulePath: folder.isEmpty ? "/" : String(folder))
        }
    }

    private let name: String
    private let arguments: [UInt64]
    private let view: ProcessView
    private let isProfile: Bool

    /// - Parameter isProfile: whether the host may open the programs that it starts.
    init(_ call: sandbox_notification, of process: Int32, isProfile: Bool) {
        self.isProfile = isProfile
        let number = call.number
        // Safe because names are constants.
        let name = unsafe sandbox_call_name(call.machine, number).map { unsafe String(cString: $0) }
        self.name = name ?? "number \(number)"
        let all = call.arguments
        arguments = [all.0, all.1, all.2, all.3, all.4, all.5]
        view = ProcessView(process: process, thread: call.thread)
    }

    /// Whether it starts a child.
    var isChild: Bool { name == "clone" || name == "fork" || name == "vfork" }

    /// What it tries, in order. Files that are not there are left out, unless it would make them.
    var attempts: [Attempt] {
        let here = ProcessView.currentFolder
        switch name {
        case "open": return opened(0, from: here, flags: arguments[1])
        case "openat": return opened(1, from: descriptor(0), flags: arguments[2])
        case "openat2": return opened(1, from: descriptor(0), flags: word(at: arguments[2]))
        case "creat": return opened(0, from: here, flags: UInt64(O_CREAT | O_WRONLY | O_TRUNC))
        case "truncate": return file(.write, 0, from: here)
        case "unlink", "rmdir", "mkdir", "mknod": return entry(0, from: here)
        case "unlinkat", "mkdirat", "mknodat": return entry(1, from: descriptor(0))
        case "rename": return entry(0, from: here) + entry(1, from: here)
        case "renameat", "renameat2": return entry(1, from: descriptor(0)) + entry(3, from: descriptor(2))
        case "link", "symlink": return entry(1, from: here)
        case "linkat": return entry(3, from: descriptor(2))
        case "symlinkat": return entry(2, from: descriptor(1))
        case "execve":
            let programs = file(.execute, 0, from: here)
            return programs + (isProfile ? programs.compactMap { Self.interpreter(of: $0.path) } : [])
        case "connect":
            return [Attempt(.connect, address)]
        case "bind": return [Attempt(.listen, address)]
        // In a profile its address was told when the socket got it. A socket without one gets a port of the kernel.
        case "listen": return isProfile ? [] : [Attempt(.listen, "tcp:0")]
        case "socket": return [Attempt(.connect, PeerAddress.text(family: arguments[0], type: arguments[1]))]
        case "clone", "fork", "vfork": return [Attempt(.child, name)]
        default: return [Attempt(.call, name)]
        }
    }

    /// The program that the kernel starts for a script; nil for another file.
    private static func interpreter(of path: String) -> Attempt? {
        var status = stat()
        // Safe because the path is borrowed for the call, and `status` is a local.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let text = SmallFile.text(path), text.hasPrefix("#!"),
            let program = text.dropFirst(2).prefix(while: { $0 != "\n" }).split(separator: " ").first,
            program.hasPrefix("/")
        else { return nil }
        return PlaceDescriptor(String(program))?.path.map { Attempt(.execute, $0) }
    }

    private func descriptor(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: arguments[index]) }

    /// The address of connect(2) and bind(2), as a text.
    private var address: String {
        let text = PeerAddress.text(view.bytes(at: arguments[1], count: addressSize))
        return text.hasPrefix("tcp:") && view.isDatagramSocket(descriptor(0)) ? "udp" : text
    }

    private var addressSize: Int { Int(min(arguments[2] & 0xffff_ffff, 128)) }

    private func word(at address: UInt64) -> UInt64 {
        let bytes = view.bytes(at: address, count: 8) ?? []
        return bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
    }

    private func opened(_ path: Int, from folder: Int32, flags: UInt64) -> [Attempt] {
        let (onlyPlace, temporary): (Int32, Int32) = (0o10000000, 0o20000000)
        let flags = Int32(truncatingIfNeeded: flags)
        guard flags & onlyPlace == 0, let text = view.text(at: arguments[path]),
            let (file, exists) = view.resolve(text, from: folder)
        else { return [] }
        let makes = flags & (O_CREAT | temporary) != 0
        guard exists || makes else { return [] }
        let mode = flags & O_ACCMODE
        let writes = mode != O_RDONLY || flags & O_TRUNC != 0 || makes && !exists
        let kinds: [Access.Kind] =
            (mode == O_RDONLY || mode == O_RDWR ? [.read] : []) + (writes ? [.write] : [])
        return kinds.map { exists ? Attempt($0, file) : Attempt($0, inFolder: file) }
    }

    private func file(_ kind: Access.Kind, _ path: Int, from folder: Int32) -> [Attempt] {
        guard let text = view.text(at: arguments[path]),
            let (file, exists) = view.resolve(text, from: folder),
            exists
        else { return [] }
        return [Attempt(kind, file)]
    }

    private func entry(_ path: Int, from folder: Int32) -> [Attempt] {
        guard let text = view.text(at: arguments[path]),
            let (file, _) = view.resolve(text, from: folder, isEntry: true)
        else { return [] }
        return [Attempt(.write, inFolder: file)]
    }
}
