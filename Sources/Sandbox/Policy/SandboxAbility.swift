internal import CSandbox

/// What a kernel can keep of policies.
public struct SandboxAbility: Sendable, Hashable {
    /// The version of Landlock; 0 without it. Version 3 (Linux 6.2) covers all that is done to files, version
    /// 4 (6.7) ports, version 6 (6.12) signals and abstract sockets.
    public let landlock: Int
    /// Whether system calls can be filtered (seccomp(2)).
    public let hasFilters: Bool
    /// Whether a filter can ask another process (Linux 5.7).
    public let hasNotifications: Bool

    /// The ability of a kernel with these features.
    public init(landlock: Int, hasFilters: Bool, hasNotifications: Bool) {
        (self.landlock, self.hasFilters, self.hasNotifications) = (landlock, hasFilters, hasNotifications)
    }

    /// That of this kernel. It asks the kernel each time, from any thread.
    public static var current: SandboxAbility {
        SandboxAbility(
            landlock: Int(sandbox_landlock_version()),
            hasFilters: sandbox_has_filters() && sandbox_machine() != 0,
            hasNotifications: sandbox_has_notifications())
    }

    /// The rules of a policy that the kernel cannot keep, a text for each. Empty if it can keep all.
    public func missing(for policy: SandboxPolicy) -> [String] {
        let isProfile = policy.observation == .profile
        var missing: [String] = []
        func need(_ isThere: Bool, _ text: String) { if !isThere { missing.append(text) } }
        if !isProfile {
            need(landlock >= 1, "`read`, `write` and `exec` need Landlock (Linux 5.13)")
            need(
                landlock == 0 || landlock >= 3,
                "a file that can be read can be cut to no bytes (Landlock 3, Linux 6.2)")
            for (key, ports) in [("connect", policy.ports), ("listen", policy.listen.sorted())] {
                let names = ports.map { "`tcp:\($0)`" }.joined(separator: ", ")
                need(
                    ports.isEmpty || landlock >= 4,
                    "`\(key)` cannot be limited to \(names) (Landlock 4, Linux 6.7)")
            }
            need(
                !policy.connect.contains(.unix) || landlock >= 6,
                "`unix` of `connect` allows abstract sockets, too (Landlock 6, Linux 6.12)")
            need(hasFilters, "system calls cannot be filtered (seccomp)")
            need(
                policy.processes == 0 || hasFilters && hasNotifications,
                "`processes` cannot be counted (Linux 5.7)")
        }
        need(
            policy.observation == .off || hasFilters && hasNotifications,
            "accesses cannot be observed (Linux 5.7)")
        return missing
    }
}
