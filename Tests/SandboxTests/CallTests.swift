internal import CSandbox
import Foundation
import Sandbox
import Testing
import TestSupport

/// System calls: dangerous ones end the process, which says their names.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct CallTests {
    /// The calls of this machine that the filter traps whatever their arguments are.
    private static let trapped = Filter.plain(of: 1, machine: sandbox_machine()).calls(that: SECCOMP_RET_TRAP)

    @Test func dangerousCalls_areAllThere() {
        let needed: Set<String> = [
            "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
            "perf_event_open", "bpf", "userfaultfd", "add_key", "request_key", "keyctl", "unshare", "setns",
            "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig",
            "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "io_uring_setup", "io_uring_enter",
            "io_uring_register", "init_module", "finit_module", "delete_module", "kexec_load",
            "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "personality",
        ]
        #expect(needed.subtracting(Self.trapped.map(\.name)) == [])
    }

    @Test(arguments: trapped) func dangerousCall_endsTheProcess_andIsNamed(_ call: Filter.Call) throws {
        let outcome = try SandboxedProcess.run(.processes, "call_number", "\(call.number)")
        #expect(outcome.signal == SIGSYS)
        #expect(outcome.output == "")
        #expect(outcome.errors == "spinhost: the system call \(call.name) is not allowed\n")
    }

    @Test(arguments: ["0x10000000", "0x20000", "0x40000000", "0x4010000"])
    func cloneWithNamespaces_endsTheProcess(_ flags: String) throws {
        let number = try #require(Filter.number(of: "clone"))
        let outcome = try SandboxedProcess.run(.processes, "call_number", "\(number):\(flags)")
        #expect(outcome.signal == SIGSYS)
        #expect(outcome.errors == "spinhost: the system call clone is not allowed\n")
    }

    #if arch(x86_64)
        @Test func callsOfOtherMachines_endTheProcess() throws {
            #expect(try SandboxedProcess.run(.processes, "call_of_32_bits").signal == SIGSYS)
            // The bit of x32, and getpid(2).
            #expect(
                try SandboxedProcess.run(.processes, "call_number", "\(0x4000_0000 + 39)").signal == SIGSYS)
        }
    #endif

    @Test func handlerOfRefusedCalls_stays() throws {
        let results = try SandboxedProcess.run(.processes, "catch_signal").results
        #expect(results.count == 3)
        // Only the question and another signal.
        let refused = results.filter { $0.value != "allowed" }
        #expect(Array(refused.values) == ["EPERM"])
        #expect(refused.keys.allSatisfy { $0.hasPrefix("sigaction(SIGSYS, &") })
    }
}
