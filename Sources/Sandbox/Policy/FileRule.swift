internal import CSandbox

/// Rights to one file, or to one folder and all that is in it.
struct FileRule: Hashable {
    static let reading = SANDBOX_READ_FILE.rights | SANDBOX_READ_FOLDER.rights
    static let writing =
        SANDBOX_WRITE_FILE.rights | SANDBOX_TRUNCATE.rights | SANDBOX_MAKE_FILE.rights
        | SANDBOX_MAKE_FOLDER.rights | SANDBOX_MAKE_PIPE.rights | SANDBOX_MAKE_LINK.rights
        | SANDBOX_REMOVE_FILE.rights | SANDBOX_REMOVE_FOLDER.rights | SANDBOX_REFER.rights
    static let executing = SANDBOX_EXECUTE.rights | reading

    let path: String
    /// The bits of Landlock.
    let rights: UInt64
    /// The key of the policy that has it; nil for a rule that each policy has, whose path need not exist.
    let key: String?
}

extension SandboxPolicy {
    /// What the dynamic loader, the C library and languages' runtimes read without being asked to: libraries,
    /// locales, time zones, what the machine has.
    private static let readByLibraries = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
        "/etc/ld.so.preload",
        "/usr/share/locale", "/usr/share/locale-langpack", "/usr/share/zoneinfo", "/etc/localtime",
        "/etc/timezone",
        "/dev/random", "/dev/urandom",
        "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm/overcommit_memory",
        "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
    ]
    private static let devices = ["/dev/null", "/dev/zero", "/dev/full"]
    /// What the kernel starts before a program.
    private static let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

    /// All rules, those of every policy first.
    var fileRules: [FileRule] {
        (Self.readByLibraries + (seesOtherProcesses ? ["/proc"] : [])).map {
            FileRule(path: $0, rights: FileRule.reading, key: nil)
        }
            + Self.devices.map { FileRule(path: $0, rights: FileRule.reading | FileRule.writing, key: nil) }
            + (exec.isEmpty
                ? [] : Self.loaders.map { FileRule(path: $0, rights: FileRule.executing, key: nil) })
            + libraries.map { FileRule(path: $0, rights: FileRule.reading, key: "libraries") }
            + [scratch].compactMap { $0 }.map {
                FileRule(path: $0, rights: FileRule.reading | FileRule.writing, key: "scratch")
            }
            + read.map { FileRule(path: $0, rights: FileRule.reading, key: "read") }
            + write.map { FileRule(path: $0, rights: FileRule.writing, key: "write") }
            + exec.map { FileRule(path: $0, rights: FileRule.executing, key: "exec") }
    }

    /// The same policy, whose paths lead through no symbolic links.
    ///
    /// The host makes it once, before it starts the first process: a process that may write a folder could put a link
    /// in the place of a file that the next one may use.
    public func resolved() -> SandboxPolicy {
        func real(_ path: String) -> String { PlaceDescriptor(path)?.path ?? path }
        var policy = self
        (policy.read, policy.write) = (read.map(real), write.map(real))
        (policy.exec, policy.libraries) = (exec.map(real), libraries.map(real))
        policy.scratch = scratch.map(real)
        return policy
    }

    /// The rules whose paths are not absolute, or lead to no file, so that the host can tell before it starts
    /// a child.
    public func faults() -> [SandboxError] {
        fileRules.compactMap { (rule: FileRule) -> SandboxError? in
            do throws(SandboxError) {
                _ = try rule.open()
                return nil
            } catch {
                return error
            }
        }
    }
}

extension SandboxPolicy {
    /// The policy as the filter of system calls sees it.
    ///
    /// - Parameter ability: of the kernel; what it lacks is left out.
    func filterRules(of process: Int32, _ ability: SandboxAbility) -> sandbox_rules {
        let isProfile = observation == .profile
        return sandbox_rules(
            process: process, connects_to_ports: !ports.isEmpty, listens_at_ports: !listen.isEmpty,
            allows_local_sockets: connect.contains(.unix), allows_programs: !exec.isEmpty,
            allows_children: processes > 0,
            scopes_signals: ability.landlock >= 6 && !isProfile,
            asks_for_children: processes > 0 && ability.hasNotifications && !isProfile,
            asks_for_accesses: observation != .off && ability.hasNotifications, refuses_nothing: isProfile)
    }
}
