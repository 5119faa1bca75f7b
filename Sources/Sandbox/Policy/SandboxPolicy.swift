/// What a child process may do. Everything else is refused to it.
///
/// The host makes it and checks it. The child applies it to itself, with `apply(keeping:parent:with:)`.
public struct SandboxPolicy: Sendable, Hashable {
    /// Where a process may connect to.
    public enum Peer: Sendable, Hashable {
        /// This port of any machine. There is no UDP, and so no lookup of names.
        case tcp(UInt16)
        /// Local sockets that are files. The kernel has no rules for single ones.
        case unix
    }

    /// What another process learns of the calls.
    public enum Observation: Sendable, Hashable {
        /// Nothing.
        case off
        /// Each call with a path or an address, and each refused call.
        case accesses
        /// The same, but nothing is refused and nothing is limited.
        case profile
    }

    /// Files, and folders with all that is in them, that can be read. A device that is named can also be
    /// controlled (ioctl(2)), one in a named folder cannot.
    ///
    /// Paths are absolute, here and below. A process does not start with a path through a symbolic
    /// link: see `resolved()`.
    public var read: [String]
    /// Files that can be written, and folders in which files can be made, written, moved and removed. To read
    /// them, name them in `read`, too.
    public var write: [String]
    /// Programs that can be started, and folders of programs. They run under the same policy.
    public var exec: [String]
    /// Where it may connect to.
    public var connect: Set<Peer>
    /// The TCP ports at which it may listen, at any address of this machine; 0: one that the kernel chooses.
    ///
    /// With any port here it may also listen at one that the kernel chooses: no rule covers a socket that listens
    /// without an address. It can never listen at a local socket that is a file.
    public var listen: Set<UInt16>
    /// Folders that can be read although the policy's author does not name them, such as that of staged
    /// libraries.
    public var libraries: [String]
    /// A folder for temporary files, to read and write.
    public var scratch: String?
    /// Whether it can read what /proc(5) says of all processes: names, arguments, states. Memory,
    /// environments and open files of others stay closed.
    ///
    /// libdispatch, which Swift's tasks run on, reads the states of its threads at `/proc/THREAD/stat`, and
    /// ends the process when it cannot. The kernel has no rule for these files alone.
    public var seesOtherProcesses: Bool
    /// Bytes of address space above what the process has mapped when the policy is applied; nil for no limit.
    ///
    /// A thread's stack counts with its full size, mostly 8 MiB. A file in memory counts where it is mapped.
    public var memory: UInt64?
    /// The count of descriptors with those that stay, which is the limit of their numbers, too; nil for no
    /// limit.
    public var files: Int?
    /// How many children, and children of theirs, may live at a time. Threads are not counted. If it is not
    /// 0, an `AccessObserver` must run, as it counts them.
    public var processes: Int
    /// What another process learns of its calls.
    public var observation: Observation
    /// Whether `apply` skips what the kernel cannot keep.
    public var isBestEffort: Bool

    /// A policy, which allows only what is named. Parameters as the properties.
    public init(
        read: [String] = [], write: [String] = [], exec: [String] = [], connect: Set<Peer> = [],
        listen: Set<UInt16> = [], libraries: [String] = [], scratch: String? = nil,
        seesOtherProcesses: Bool = false,
        memory: UInt64? = nil, files: Int? = nil,
        processes: Int = 0, observation: Observation = .off, isBestEffort: Bool = false
    ) {
        (self.read, self.write, self.exec, self.connect) = (read, write, exec, connect)
        (self.listen, self.libraries, self.scratch) = (listen, libraries, scratch)
        self.seesOtherProcesses = seesOtherProcesses
        (self.memory, self.files, self.processes) = (memory, files, processes)
        (self.observation, self.isBestEffort) = (observation, isBestEffort)
    }

    /// The TCP ports that it may connect to, the smallest one first.
    var ports: [UInt16] {
        connect.compactMap { if case .tcp(let port) = $0 { port } else { nil } }.sorted()
    }
}

extension SandboxPolicy {
    /// The port of a text such as `tcp:554`; nil for another text.
    public static func port(_ text: String) -> UInt16? {
        text.hasPrefix("tcp:") ? UInt16(text.dropFirst(4)) : nil
    }
}

extension SandboxPolicy.Peer: CustomStringConvertible {
    /// As the manifest has it: `tcp:554`, `unix`.
    public var description: String {
        switch self {
        case .tcp(let port): "tcp:\(port)"
        case .unix: "unix"
        }
    }

    /// The peer of such a text; nil for another text.
    public init?(_ text: String) {
        if text == "unix" {
            self = .unix
        } else if let port = SandboxPolicy.port(text), port > 0 {
            self = .tcp(port)
        } else {
            return nil
        }
    }
}
