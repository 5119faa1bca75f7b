internal import CSandbox
import Glibc
import Testing

/// The filter of system calls, as a program: for machines that the tests do not run on, too.
struct FilterTests {
    private static let machines = [UInt32(0xc000_003e), UInt32(0xc000_00b7)]
    private static let allowed = UInt32(0x7fff_0000)
    private static func fails(_ error: Int32) -> UInt32 { 0x0005_0000 | UInt32(error) }

    @Test(arguments: machines) func everyAnswer_isOneOfFew(_ machine: UInt32) {
        let filter = Filter.plain(of: 7, machine: machine)
        #expect(filter.count > 500)
        let answers = Set((-1..<600).map { filter.answer(to: $0) })
        #expect(
            answers.isSubset(of: [
                Self.allowed, Self.fails(EPERM), Self.fails(EACCES), Self.fails(ENOSYS), 0x0003_0000,
                0x8000_0000,
            ]))
        #expect(filter.answer(to: 599) == Self.fails(ENOSYS))
    }

    @Test(arguments: machines) func otherMachine_isKilled(_ machine: UInt32) {
        let filter = Filter.plain(of: 7, machine: machine)
        #expect(filter.answer(to: 1, machine: 0x4000_0003) == 0x8000_0000)
        #expect(Filter.plain(of: 7, machine: 0x4000_0003).count == 0)
    }

    @Test(arguments: machines) func signals_goToTheProcessAlone(_ machine: UInt32) {
        let filter = Filter.plain(of: 7, machine: machine)
        for call in ["kill", "tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] {
            #expect(filter.answer(to: call, [7]) == Self.allowed)
            // The kernel looks at 32 bits of it.
            #expect(filter.answer(to: call, [0x1_0000_0007]) == Self.allowed)
            for other in [0, 1, 8, UInt64(UInt32.max), UInt64.max] {
                #expect(filter.answer(to: call, [other]) == Self.fails(EPERM), "\(call) \(other)")
            }
        }
    }

    @Test(arguments: machines) func threads_mayStart_childrenMayNot(_ machine: UInt32) {
        let filter = Filter.plain(of: 7, machine: machine)
        // The flags of pthread_create(3).
        #expect(filter.answer(to: "clone", [0x3d0f00]) == Self.allowed)
        #expect(filter.answer(to: "clone", [0x3d0f00 | 0x1000_0000]) == 0x0003_0000)
        #expect(filter.answer(to: "clone", [17]) == Self.fails(EPERM))
        #expect(filter.answer(to: "clone3") == Self.fails(ENOSYS))
    }

    @Test(arguments: machines) func whatListens_needNotConnect(_ machine: UInt32) {
        var rules = sandbox_rules()
        rules.listens_at_ports = true
        let listening = Filter(rules, machine: machine)
        rules = sandbox_rules()
        rules.connects_to_ports = true
        let connecting = Filter(rules, machine: machine)
        for (call, whatListens, whatConnects) in [
            ("bind", Self.allowed, Self.fails(EACCES)), ("listen", Self.allowed, Self.fails(EACCES)),
            ("connect", Self.fails(EACCES), Self.allowed), ("accept4", Self.allowed, Self.allowed),
        ] {
            #expect(listening.answer(to: call) == whatListens, "\(call)")
            #expect(connecting.answer(to: call) == whatConnects, "\(call)")
        }
        #expect(listening.answer(to: "socket", [UInt64(AF_INET), 1, 0]) == Self.allowed)
        #expect(listening.answer(to: "socket", [UInt64(AF_INET), 2, 0]) == Self.fails(EACCES))
    }

    @Test(arguments: machines) func streams_areTCPAlone(_ machine: UInt32) {
        var rules = sandbox_rules()
        rules.connects_to_ports = true
        let filter = Filter(rules, machine: machine)
        for family in [UInt64(AF_INET), UInt64(AF_INET6)] {
            #expect(filter.answer(to: "socket", [family, 1, 0]) == Self.allowed)
            #expect(filter.answer(to: "socket", [family, 1 | 0o2004000, 6]) == Self.allowed)
            for (type, number) in [(2, 0), (3, 1), (5, 132), (1, 262), (1, 256)] as [(UInt64, UInt64)] {
                #expect(filter.answer(to: "socket", [family, type, number]) == Self.fails(EACCES))
            }
        }
        #expect(filter.answer(to: "socket", [1, 1, 0]) == Self.fails(EACCES))
    }

    @Test(arguments: machines) func memoryOfOtherPrograms_andPrivileges_areRefused(_ machine: UInt32) {
        let filter = Filter.plain(of: 7, machine: machine)
        for call in [
            "shmget", "shmat", "semget", "msgget", "mq_open", "setuid", "setgroups", "capset", "seccomp",
            "landlock_restrict_self", "setpgid", "setsid", "execveat", "fchmod", "fchownat", "utimensat",
            "setxattr",
            "migrate_pages", "syslog", "fanotify_init", "name_to_handle_at",
        ] {
            #expect(filter.answer(to: call) == Self.fails(EPERM), "\(call)")
        }
        #expect(filter.answer(to: "prlimit64", [0]) == Self.allowed)
        #expect(filter.answer(to: "prlimit64", [7]) == Self.allowed)
        #expect(filter.answer(to: "prlimit64", [8]) == Self.fails(EPERM))
    }

    @Test(arguments: machines) func controlsOfFileSystems_areRefused_exceptQuestionsAndCopies(
        _ machine: UInt32
    ) {
        let filter = Filter.plain(of: 7, machine: machine)
        // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, BTRFS_IOC_SNAP_CREATE, FS_IOC_SETVERSION, TIOCSTI.
        for control: UInt64 in [0x4008_6602, 0x401c_5820, 0x5000_9401, 0x4008_7602, 0x5412] {
            #expect(filter.answer(to: "ioctl", [0, control]) == Self.fails(EPERM))
            #expect(filter.answer(to: "ioctl", [0, control | 1 << 32]) == Self.fails(EPERM))
        }
        // FS_IOC_GETFLAGS, FICLONE, TCGETS, FIONBIO, VIDIOC_QUERYCAP.
        for control: UInt64 in [0x8008_6601, 0x4004_9409, 0x5401, 0x5421, 0x8068_5600] {
            #expect(filter.answer(to: "ioctl", [0, control]) == Self.allowed)
        }
    }

    @Test(arguments: machines) func profile_refusesNothing(_ machine: UInt32) {
        var rules = sandbox_rules()
        (rules.refuses_nothing, rules.asks_for_accesses) = (true, true)
        let filter = Filter(rules, machine: machine)
        let answers = Set((0..<600).filter { $0 != 435 }.map { filter.answer(to: $0) })
        // Allowed, or another process is asked.
        #expect(answers == [Self.allowed, 0x7fc0_0000])
        // Its flags could not be seen.
        #expect(filter.answer(to: 435) == Self.fails(ENOSYS))
    }

    @Test func tooLittleRoom_givesNoFilter() {
        var (rules, room) = (sandbox_rules(), sock_filter())
        // Safe because the call gets the size of the room.
        #expect(unsafe sandbox_write_filter(&rules, Self.machines[0], &room, 1) == 0)
    }
}
