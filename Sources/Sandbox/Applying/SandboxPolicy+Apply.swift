internal import CSandbox
import Glibc

extension SandboxPolicy {
    /// Puts the calling process under the policy, for good. It must have a single thread.
    ///
    /// The kernel then kills this process when the *thread* that started it ends, so that thread must live as
    /// long as its child. The process leads a process group, which its children cannot leave: the host ends
    /// all of them with `kill(-pid, SIGKILL)`.
    ///
    /// A dangerous system call ends the process by SIGSYS, after a line on descriptor 2 that names the call.
    ///
    /// - Parameters:
    ///   - descriptors: those that stay open. A socket among them must not be for datagrams, which could be
    ///     sent to any address. A file in memory must be sealed: otherwise the process can open it again, write
    ///     it, cut it, and start it if `exec` is not empty.
    ///   - parent: the process that has started this one.
    ///   - ability: what to use of the kernel, not more than it has.
    /// - Returns: what was skipped, and the listener for the host.
    /// - Throws: any `SandboxError`. The process may then be restricted in part, and must end.
    public func apply(
        keeping descriptors: [Int32], parent: Int32, with ability: SandboxAbility = .current
    ) throws(SandboxError) -> AppliedSandbox {
        let isProfile = observation == .profile
        guard Self.isAlone else { throw .hasThreads }
        let missing = ability.missing(for: self)
        guard missing.isEmpty || isBestEffort else { throw .notSupported(missing) }
        let kept = Set(descriptors).sorted()
        // Safe because the call reads the numbers alone.
        try SandboxError.check("close_range", unsafe sandbox_close_others(kept, kept.count))
        try SandboxError.check("prctl", sandbox_keep_privileges())
        try SandboxError.check("setpgid", sandbox_lead_group())
        if !isProfile { try SandboxError.check("capset", sandbox_drop_capabilities()) }
        try Self.follow(parent)
        Self.keepOwnFolder()
        let ruleset =
            isProfile || ability.landlock == 0 ? nil : try Ruleset(for: self, version: ability.landlock)
        if !isProfile { try limit() }
        try ruleset?.restrict()
        guard ability.hasFilters else { return AppliedSandbox(skipped: missing, listener: nil) }
        try SandboxError.check("sigaction", sandbox_name_refused_call())
        var (rules, listener) = (filterRules(of: getpid(), ability), Int32(-1))
        // Safe because both are locals.
        try SandboxError.check("seccomp", unsafe sandbox_filter_calls(&rules, &listener))
        return AppliedSandbox(skipped: missing, listener: listener < 0 ? nil : listener)
    }

    /// Ties the calling process to its parent, and limits nothing else: the kernel kills it when the thread that
    /// started it ends. It leaves no core file.
    ///
    /// - Parameter parent: the process that has started this one.
    /// - Throws: `SandboxError.parentEnded` and `failed`.
    public static func follow(_ parent: Int32) throws(SandboxError) {
        try limit(RLIMIT_CORE, to: 0)
        let died = sandbox_die_with(parent)
        guard died != ESRCH else { throw .parentEnded }
        try SandboxError.check("prctl", died)
    }

    /// Whether the process has a single thread.
    private static var isAlone: Bool {
        var status = stat()
        // Safe because `status` is a local. A folder of /proc has a link more for each folder in it.
        return unsafe stat("/proc/self/task", &status) == 0 && status.st_nlink == 3
    }

    /// Keeps the process's own folder of /proc open. A rule is for an inode, and the kernel may make another one for
    /// an entry of /proc that nobody has open. This is a precaution: no test has shown the rule fail without it.
    private static func keepOwnFolder() {
        // Safe because the path is borrowed for the call.
        _ = unsafe sandbox_open_place("/proc/self", true)
    }

    private func limit() throws(SandboxError) {
        if let files { try Self.limit(RLIMIT_NOFILE, to: UInt64(max(0, files))) }
        if let memory {
            let (sum, isOver) = try Self.mapped().addingReportingOverflow(memory)
            if !isOver { try Self.limit(RLIMIT_AS, to: sum) }
        }
    }

    /// Lowers a limit, and what it can be raised to.
    private static func limit(_ kind: __rlimit_resource, to value: UInt64) throws(SandboxError) {
        let resource = Int32(kind.rawValue)
        var limit = rlimit()
        // Safe because `limit` is a local, here and below.
        guard unsafe getrlimit(resource, &limit) == 0 else { throw .failed(call: "getrlimit", error: errno) }
        let lowest = min(value, UInt64(limit.rlim_max))
        limit = rlimit(rlim_cur: rlim_t(lowest), rlim_max: rlim_t(lowest))
        guard unsafe setrlimit(resource, &limit) == 0 else { throw .failed(call: "setrlimit", error: errno) }
    }

    /// The bytes of address space that the process has now.
    private static func mapped() throws(SandboxError) -> UInt64 {
        let text = SmallFile.text("/proc/self/statm")
        guard let number = text?.split(separator: " ").first.flatMap({ UInt64($0) }) else {
            throw .failed(call: "read", error: errno)
        }
        return number * UInt64(getpagesize())
    }
}
