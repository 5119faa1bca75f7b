/// The rules for a plugin in a process of its own: `[plugins.NAME.sandbox]`. What they do not allow is refused.
///
/// Lists are sorted, because their order means nothing. So two tables with the same rules are equal. Whether a changed
/// manifest needs another process is decided by comparing models.
public struct SandboxModel: Hashable, Sendable {
    /// What the host does when the kernel cannot keep a rule: `app.sandbox`.
    public enum Enforcement: String, Sendable, CaseIterable {
        /// The app does not start.
        case strict
        /// The app starts without this rule, with a warning.
        case bestEffort = "best-effort"
    }

    /// How the host replaces a process that has ended: `restart`.
    public struct Restart: Hashable, Sendable {
        /// The wait before the first restart; longer than zero.
        public let firstBackoff: Duration
        /// The wait grows up to this one, which is not shorter than the first.
        public let longestBackoff: Duration
        /// After so many restarts within `within`, the plugin is quarantined. At least one.
        public let limit: Int
        /// The time in which restarts count; longer than zero.
        public let within: Duration

        /// All defaults are those of a manifest without the key.
        ///
        /// - Precondition: times and limit are allowed.
        public init(
            firstBackoff: Duration = .milliseconds(100), longestBackoff: Duration = .seconds(10),
            limit: Int = 5,
            within: Duration = .seconds(60)
        ) {
            precondition(
                firstBackoff > .zero && firstBackoff <= longestBackoff, "the wait grows from above zero")
            precondition(Self.limits.contains(limit) && within > .zero, "a process may end some times")
            (self.firstBackoff, self.longestBackoff) = (firstBackoff, longestBackoff)
            (self.limit, self.within) = (limit, within)
        }

        /// The allowed values of `limit`.
        public static let limits = 1...1_000_000
    }

    /// The absolute paths of files and folders that the plugin may read, with all below. They need not exist.
    public let read: [String]
    /// The absolute paths of files and folders that it may write, with all below.
    public let write: [String]
    /// The absolute paths of programs that it may start.
    public let exec: [String]
    /// The TCP ports that it may connect to: `tcp:PORT` in `connect`.
    public let ports: [UInt16]
    /// Whether it may connect to local sockets: `unix` in `connect`.
    public let connectsToUnixSockets: Bool
    /// The TCP ports at which it may listen, 0 for one that the kernel chooses: `tcp:PORT` in `listen`.
    public let listensAt: [UInt16]
    /// Its environment, which has no other variables. Names are as in POSIX, values have no NUL character.
    public let env: [String: String]
    /// The address space in bytes above that of the process itself; nil for no limit.
    public let memory: Int?
    /// The processor time of one call, longer than zero; nil for no limit. A call that takes more ends the process.
    public let cpu: Duration?
    /// The greatest number of open descriptors.
    public let files: Int
    /// The greatest number of child processes. Threads do not count.
    public let processes: Int
    /// After this time the host ends the process of a call that ignores its cancellation. Longer than zero.
    public let cancelGrace: Duration
    /// The word of plugins that live in one process; nil for a process of its own. Plugins with the same word have
    /// equal models.
    public let share: String?
    /// How the host replaces the process when it has ended.
    public let restart: Restart
    /// What the host does when the kernel cannot keep one of these rules. The same for all plugins of an app.
    public let enforcement: Enforcement

    /// The allowed values of `memory`, in bytes: 4 KiB to 1 TiB.
    public static let memorySizes = 4 << 10...1 << 40
    /// The allowed values of `files`.
    public static let fileCounts = 16...1 << 20
    /// The allowed values of `processes`.
    public static let processCounts = 0...1 << 16

    /// All defaults are those of a manifest without the keys.
    ///
    /// - Precondition: sizes, times and counts are allowed.
    public init(
        read: [String] = [], write: [String] = [], exec: [String] = [], ports: [UInt16] = [],
        connectsToUnixSockets: Bool = false, listensAt: [UInt16] = [], env: [String: String] = [:],
        memory: Int? = nil,
        cpu: Duration? = nil, files: Int = 64, processes: Int = 0, cancelGrace: Duration = .seconds(2),
        share: String? = nil, restart: Restart = Restart(), enforcement: Enforcement = .strict
    ) {
        precondition(memory.map(Self.memorySizes.contains) != false, "memory is 4 KiB to 1 TiB")
        precondition(cpu.map { $0 > .zero } != false && cancelGrace > .zero, "times are longer than zero")
        precondition(
            Self.fileCounts.contains(files) && Self.processCounts.contains(processes), "allowed counts")
        (self.read, self.write, self.exec) = (read.sorted(), write.sorted(), exec.sorted())
        (self.ports, self.connectsToUnixSockets) = (ports.sorted(), connectsToUnixSockets)
        (self.listensAt, self.env, self.memory, self.cpu) = (listensAt.sorted(), env, memory, cpu)
        (self.files, self.processes, self.cancelGrace) = (files, processes, cancelGrace)
        (self.share, self.restart, self.enforcement) = (share, restart, enforcement)
    }

    /// The same rules, and more that a plugin may do. Parameters as the properties.
    public func allowing(
        read: Set<String>, write: Set<String>, exec: Set<String>, ports: Set<UInt16>,
        unixSockets: Bool, listensAt: Set<UInt16>, processes: Int
    ) -> SandboxModel {
        SandboxModel(
            read: Array(read.union(self.read)), write: Array(write.union(self.write)),
            exec: Array(exec.union(self.exec)), ports: Array(ports.union(self.ports)),
            connectsToUnixSockets: connectsToUnixSockets || unixSockets,
            listensAt: Array(listensAt.union(self.listensAt)), env: env, memory: memory, cpu: cpu,
            files: files, processes: max(self.processes, processes), cancelGrace: cancelGrace, share: share,
            restart: restart, enforcement: enforcement)
    }

    /// The keys in which two tables differ, in the order of the documentation.
    func differences(from other: SandboxModel) -> [String] {
        let same = [
            ("read", read == other.read), ("write", write == other.write), ("exec", exec == other.exec),
            ("connect", (ports, connectsToUnixSockets) == (other.ports, other.connectsToUnixSockets)),
            ("listen", listensAt == other.listensAt), ("env", env == other.env),
            ("memory", memory == other.memory), ("cpu", cpu == other.cpu),
            ("files", files == other.files), ("processes", processes == other.processes),
            ("cancel-grace", cancelGrace == other.cancelGrace), ("share", share == other.share),
            ("restart", restart == other.restart),
        ]
        return same.filter { !$0.1 }.map(\.0)
    }
}
