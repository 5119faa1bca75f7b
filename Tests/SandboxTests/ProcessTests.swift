import Foundation
import Sandbox
import Testing
import TestSupport

/// Other processes: none is started, signalled or changed without a rule.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct ProcessTests {
    @Test func signals_goToItselfAlone() throws {
        let results = try Self.run("signal_others", "", SandboxPolicy())
        #expect(results.count == 16)
        #expect(
            Set(results.filter { $0.value != "EPERM" }.keys) == [
                "syscall(SYS_pidfd_open, parent, 0)", "pipe(ends)", "kill(getpid(), 0)", "raise(0)",
            ])
        #expect(Set(results.filter { $0.value != "EPERM" }.values) == ["allowed"])
    }

    @Test func signals_withChildren_stayInside() throws {
        let socket = try SocketPair()
        let results = try Observed(.processes, "signal_others", "", SandboxPolicy(processes: 1), socket)
            .outcome().results
        for call in ["kill(parent, 0)", "kill(parent, SIGTERM)", "sigqueue(parent, SIGTERM, value)"] {
            #expect(results[call] == "EPERM", "\(call)")
        }
        #expect(results["syscall(SYS_pidfd_send_signal, opened, SIGTERM, NULL, 0)"] == "EPERM")
    }

    @Test func otherProcesses_cannotBeChanged() throws {
        let results = try Self.run("change_others", "", SandboxPolicy())
        #expect(results.count == 14)
        #expect(
            results.filter { $0.value != "EPERM" } == [
                "prctl(PR_SET_NAME, \"own\")": "allowed", "sched_setaffinity(0, sizeof set, &set)": "allowed",
                "setpriority(PRIO_PROCESS, 0, 1)": "allowed",
            ])
    }

    @Test func program_needsExec() throws {
        #expect(try Self.run("start_program", Self.program, SandboxPolicy()) == ["execve": "EACCES"])
        let policy = SandboxPolicy(exec: [Self.program])
        #expect(try Self.run("start_program", Self.program, policy) == [:])
        #expect(try Self.run("start_program", Self.other, policy) == ["execve": "EACCES"])
    }

    @Test func program_byDescriptor_isRefused() throws {
        let policy = SandboxPolicy(read: [Self.other], exec: [Self.program])
        #expect(
            try Self.run("start_program_by_descriptor", Self.other, policy)
                == ["open": "allowed", "execveat": "EPERM", "fexecve": "EPERM"])
    }

    @Test func program_inMemory_isRefused() throws {
        let read = [Self.other]
        #expect(
            try Self.run("start_program_in_memory", Self.other, SandboxPolicy(read: read)) == [
                "memfd_create": "allowed allowed", "execve": "EACCES EACCES", "execveat": "EPERM EPERM",
            ])
        #expect(
            try Self.run(
                "start_program_in_memory", Self.other, SandboxPolicy(read: read, exec: [Self.program]))
                == ["memfd_create": "ENOSYS allowed", "execve": "EACCES", "execveat": "EPERM"])
    }

    @Test func program_copied_isRefused() throws {
        let folder = try TemporaryFolder()
        let policy = SandboxPolicy(read: [Self.other], exec: [Self.program], scratch: folder.root.path)
        #expect(
            try Self.run("start_copy", "\(Self.other):\(folder.url("copy").path)", policy)
                == ["open": "allowed", "make": "allowed", "execve": "EACCES"])
    }

    @Test func child_needsProcesses() throws {
        #expect(
            try Self.run("start_children", Self.program, SandboxPolicy(exec: [Self.program]))
                .filter { !$0.key.contains("SYS_fork") } == [
                    "posix_spawn": "EPERM", "fork()": "EPERM",
                    "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)": "EPERM",
                    "syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)": "EPERM",
                    "syscall(SYS_clone3, 0, 0)": "ENOSYS",
                ])
    }

    @Test func program_runsInAChild_withBothRules() throws {
        let socket = try SocketPair()
        let policy = SandboxPolicy(exec: [Self.program], processes: 1)
        let outcome = try Observed(.processes, "run_program", Self.program, policy, socket).outcome()
        #expect(outcome.results == ["posix_spawn": "allowed", "waitpid": "allowed", "status": "0"])
    }

    @Test func terminal_isNotTypedInto() throws {
        let results = try Self.run("type_into_terminal", "", SandboxPolicy())
        #expect(
            results == [
                "ioctl(0, TIOCSTI, \"x\")": "EPERM", "ioctl(0, TIOCSTI | 0x100000000, \"x\")": "EPERM",
                "ioctl(0, TIOCSCTTY, 0)": "EPERM", "ioctl(0, FIONBIO, &(int){0})": "allowed",
            ])
    }

    @Test func limits_hold_andCannotBeRaised() throws {
        let policy = SandboxPolicy(memory: 100_000_000, files: 10)
        #expect(Array(try Self.run("raise_limits", "", policy).values) == ["EPERM", "EPERM", "EPERM"])
        #expect(
            try Self.run("take_memory", "100000000", policy)
                == ["half": "allowed", "all": "ENOMEM", "map": "ENOMEM"])
        // Three descriptors stay, and one is for its own folder of /proc.
        #expect(try SandboxedProcess.run(.files, "open_many", "", policy).output == "EMFILE after 6\n")
    }

    @Test func onlyKeptDescriptors_areOpen() throws {
        let pair = try SocketPair()
        let descriptors: [Int32: Int32] = [20: pair.ends.mine, 30: pair.ends.other]
        let outcome = try SandboxedProcess(
            .files, "count_own_files", "", SandboxPolicy(), descriptors: descriptors,
            options: ["--keep", "30"]
        ).outcome()
        #expect(
            outcome.output.split(separator: "\n").map { $0.split(separator: "[")[0] }
                == ["open: allowed", "3 /proc/", "30 socket:"])
    }

    @Test func processWithThreads_isRefused() throws {
        let outcome = try SandboxedProcess.run(.allowed, "work", "", options: ["--threads", "1"])
        #expect(outcome.status == 65)
        #expect(outcome.errors == "the process has threads already\n")
    }

    @Test func otherParent_isRefused() throws {
        let outcome = try SandboxedProcess.run(.allowed, "work", "", options: ["--parent", "1"])
        #expect(outcome.status == 65)
        #expect(outcome.errors == "the host has ended\n")
    }

    /// The output is a pipe that ends when the last process with it has ended: the sandboxed one.
    @Test func endOfTheParent_endsIt() throws {
        let pipe = Pipe()
        let launcher = [SandboxedProcess.program, "--library", try Attempts.folder.get().root.path]
        let parent = Process()
        parent.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A second command, so that the shell does not become the launcher.
        parent.arguments =
            ["-c", "\"$@\"; exit 0", "sh"] + launcher + [try Attempts.processes.library(), "wait_for_end"]
        parent.standardOutput = pipe
        try parent.run()
        let output = pipe.fileHandleForReading
        #expect(String(decoding: output.availableData, as: UTF8.self) == "waits\n")
        kill(parent.processIdentifier, SIGKILL)
        parent.waitUntilExit()
        #expect(output.availableData.isEmpty)
    }

    // What a link leads to, as `/bin` may be one.
    private static let program = URL(fileURLWithPath: "/bin/true").resolvingSymlinksInPath().path
    private static let other = URL(fileURLWithPath: "/bin/echo").resolvingSymlinksInPath().path

    private static func run(
        _ attempt: String, _ argument: String, _ policy: SandboxPolicy
    ) throws -> [String: String] {
        let outcome = try SandboxedProcess.run(.processes, attempt, argument, policy)
        #expect(outcome.signal == 0)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        return outcome.results
    }
}
