import Sandbox
import Testing

/// What a kernel cannot keep of a policy is told in words.
struct PolicyTests {
    private static let policy = SandboxPolicy(
        connect: [.tcp(554), .unix], listen: [8080, 0], processes: 1, observation: .accesses)

    @Test func newKernel_keepsAll() {
        let ability = SandboxAbility(landlock: 6, hasFilters: true, hasNotifications: true)
        #expect(ability.missing(for: Self.policy) == [])
    }

    @Test func oldKernels_lackRules() {
        #expect(
            SandboxAbility(landlock: 0, hasFilters: false, hasNotifications: false).missing(for: Self.policy)
                == [
                    "`read`, `write` and `exec` need Landlock (Linux 5.13)",
                    "`connect` cannot be limited to `tcp:554` (Landlock 4, Linux 6.7)",
                    "`listen` cannot be limited to `tcp:0`, `tcp:8080` (Landlock 4, Linux 6.7)",
                    "`unix` of `connect` allows abstract sockets, too (Landlock 6, Linux 6.12)",
                    "system calls cannot be filtered (seccomp)", "`processes` cannot be counted (Linux 5.7)",
                    "accesses cannot be observed (Linux 5.7)",
                ])
        #expect(
            SandboxAbility(landlock: 2, hasFilters: true, hasNotifications: true).missing(
                for: SandboxPolicy())
                == ["a file that can be read can be cut to no bytes (Landlock 3, Linux 6.2)"])
        #expect(
            SandboxAbility(landlock: 3, hasFilters: true, hasNotifications: true).missing(
                for: SandboxPolicy())
                == [])
    }

    @Test func profile_needsNoLandlock() {
        let ability = SandboxAbility(landlock: 0, hasFilters: true, hasNotifications: true)
        #expect(ability.missing(for: SandboxPolicy(read: ["/x"], observation: .profile)) == [])
    }

    @Test func peers_haveTexts() {
        #expect(SandboxPolicy.Peer("tcp:554") == .tcp(554))
        #expect(SandboxPolicy.Peer("unix") == .unix)
        for text in ["", "tcp", "tcp:", "tcp:0", "tcp:65536", "udp:53", "unix:/run/x", "TCP:80"] {
            #expect(SandboxPolicy.Peer(text) == nil, "\(text)")
        }
        #expect("\(SandboxPolicy.Peer.tcp(554)) \(SandboxPolicy.Peer.unix)" == "tcp:554 unix")
    }
}
