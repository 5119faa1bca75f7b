import Foundation
import Sandbox
import Testing
import TestSupport

/// The host learns what a sandboxed process tries.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct AccessObserverTests {
    private let place: TemporaryFolder
    private let socket: SocketPair
    private var secret: String { place.url("outside/secret").path }

    init() throws {
        place = try TemporaryFolder()
        socket = try SocketPair()
        try place.write("outside/secret", "secret")
        try place.write("data/x", "data")
    }

    @Test func library_isTheFirstAccess() throws {
        let observed = try Observed(
            .files, "read_file", secret, SandboxPolicy(observation: .accesses), socket)
        #expect(try observed.outcome().results == ["read": "EACCES"])
        let library = try Attempts.files.library()
        #expect(observed.accesses.first == "read \(library) allowed")
        #expect(observed.accesses.last == "read \(secret) refused")
    }

    @Test func allowedAccess_isTold() throws {
        let data = place.url("data").path
        let policy = SandboxPolicy(read: [data], observation: .accesses)
        let observed = try Observed(.files, "read_file", data + "/../data/x", policy, socket)
        #expect(try observed.outcome().results == ["read": "allowed"])
        #expect(observed.accesses.last == "read \(data)/x allowed")
    }

    @Test func relativePaths_linksAndNewFiles_areToldAsTheFilesTheyLeadTo() throws {
        let outside = place.url("outside").path
        try place.write("outside/empty/x", "")
        let observed = try Observed(
            .files, "change_outside", outside, SandboxPolicy(observation: .accesses), socket)
        #expect(Set(try observed.outcome().results.values) == ["allowed", "EACCES"])
        let told = Set(observed.accesses.filter { $0.contains(outside) })
        #expect(
            told
                == Set(
                    [
                        "write \(outside)/new refused", "read \(outside)/secret refused",
                        "write \(outside)/secret refused", "read \(outside) refused",
                        "write \(outside) refused",
                        "write \(outside)/public refused", "write \(outside)/folder refused",
                        "write \(outside)/empty refused", "write \(outside)/link refused",
                        "write \(outside)/hard refused", "write \(outside)/pipe refused",
                    ]))
    }

    @Test func peers_areTold() throws {
        let server = try LocalServer()
        let policy = SandboxPolicy(connect: [.tcp(server.port)], observation: .accesses)
        let observed = try Observed(.sockets, "connect_tcp", "\(server.port)", policy, socket)
        #expect(try observed.outcome().results == ["socket": "allowed", "connect": "allowed"])
        #expect(observed.accesses.last == "connect tcp:\(server.port) allowed")
    }

    @Test func refusedPeers_areTold() throws {
        let policy = SandboxPolicy(connect: [.tcp(80)], observation: .accesses)
        let observed = try Observed(.sockets, "connect_tcp", "81", policy, socket)
        #expect(try observed.outcome().results == ["socket": "allowed", "connect": "EACCES"])
        #expect(observed.accesses.last == "connect tcp:81 refused")
    }

    @Test(arguments: [(["allowed", "allowed"], 0), (["EACCES", "allowed"], 81)] as [([String], UInt16)])
    func portsToListenAt_areTold(_ results: [String], _ named: UInt16) throws {
        let policy = SandboxPolicy(listen: [named], observation: .accesses)
        let observed = try Observed(.sockets, "listen_tcp", "0", policy, socket)
        #expect(try observed.outcome().results == ["bind": results[0], "listen": results[1]])
        #expect(observed.accesses.last == "listen tcp:0 \(named == 0 ? "allowed" : "refused")")
    }

    @Test(arguments: ["listen_tcp", "listen_without_address"])
    func whatMayNotListen_isTold(_ attempt: String) throws {
        let policy = SandboxPolicy(connect: [.tcp(80)], observation: .accesses)
        let observed = try Observed(.sockets, attempt, "0", policy, socket)
        #expect(Set(try observed.outcome().results.values) == ["EACCES"])
        #expect(observed.accesses.last == "listen tcp:0 refused")
    }

    @Test func callsThatTheFilterRefuses_areRefusedAndTold() throws {
        let policy = SandboxPolicy(observation: .accesses)
        let observed = try Observed(.sockets, "open_sockets", "", policy, socket)
        #expect(Set(try observed.outcome().results.values) == ["EACCES"])
        #expect(
            observed.accesses.filter { $0.hasPrefix("connect") } == [
                "connect tcp refused", "connect udp refused", "connect family 2 refused",
                "connect unix refused", "connect family 16 refused", "connect family 17 refused",
                "connect family 40 refused", "connect family 38 refused",
            ])
    }

    @Test func refusedProgramsAndChildren_areTold() throws {
        let policy = SandboxPolicy(observation: .accesses)
        let observed = try Observed(.processes, "start_program", "/bin/true", policy, socket)
        #expect(try observed.outcome().results == ["execve": "EACCES"])
        let program = URL(fileURLWithPath: "/bin/true").resolvingSymlinksInPath().path
        #expect(observed.accesses.last == "execute \(program) refused")
    }

    @Test func children_areTold() throws {
        let program = URL(fileURLWithPath: "/bin/true").resolvingSymlinksInPath().path
        let refusing = SandboxPolicy(observation: .accesses)
        let refused = try Observed(.processes, "run_program", program, refusing, socket)
        #expect(try refused.outcome().results == ["posix_spawn": "EPERM", "status": "-1"])
        #expect(refused.accesses.last == "child clone refused")
        let allowing = SandboxPolicy(exec: [program], processes: 1, observation: .accesses)
        let allowed = try Observed(.processes, "run_program", program, allowing, try SocketPair())
        #expect(try allowed.outcome().results["status"] == "0")
        let last = allowed.accesses.filter { !$0.hasPrefix("read") }
        #expect(last == ["child clone allowed", "execute \(program) allowed"])
    }

    /// Nobody answers, as in a host that hangs.
    @Test func processThatWaits_canBeKilled() throws {
        let policy = SandboxPolicy(observation: .accesses)
        let process = try SandboxedProcess(
            .files, "read_file", secret, policy, descriptors: [9: socket.ends.other],
            options: ["--socket", "9"])
        socket.closeOther()
        let listener = try DescriptorPassing.receive(over: socket.ends.mine)
        defer { close(listener) }
        // The call that loads the library waits from now on.
        var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        // Safe because the call has one element.
        #expect(unsafe poll(&polled, 1, -1) == 1)
        kill(process.id, SIGKILL)
        let outcome = try process.outcome()
        #expect(outcome.signal == SIGKILL)
        #expect(outcome.output == "")
    }

    @Test func profile_refusesNothing() throws {
        let server = try LocalServer()
        let policy = SandboxPolicy(memory: 1, files: 4, observation: .profile)
        let observed = try Observed(.sockets, "connect_tcp", "\(server.port)", policy, socket)
        #expect(try observed.outcome().results == ["socket": "allowed", "connect": "allowed"])
        #expect(
            observed.accesses.suffix(2) == ["connect tcp refused", "connect tcp:\(server.port) refused"])
    }

    @Test func profile_tellsWhereItListens() throws {
        let observed = try Observed(
            .sockets, "listen_tcp", "0", SandboxPolicy(observation: .profile), socket)
        #expect(try observed.outcome().results == ["bind": "allowed", "listen": "allowed"])
        #expect(observed.accesses.last == "listen tcp:0 refused")
    }

    @Test func profile_tellsOfDangerousCalls_andLetsThemGoOn() throws {
        let number = try #require(Filter.number(of: "personality"))
        let policy = SandboxPolicy(observation: .profile)
        let observed = try Observed(.processes, "call_number", "\(number)", policy, socket)
        #expect(try observed.outcome().results == ["call": "allowed"])
        #expect(observed.accesses.last == "call personality refused")
    }

    @Test(arguments: [1, 3]) func children_areCounted(_ limit: Int) throws {
        let observed = try Observed(
            .processes, "start_many", "\(limit + 2)", SandboxPolicy(processes: limit), socket)
        let results = try observed.outcome().results
        let forks = [String](repeating: "allowed", count: limit) + ["EAGAIN", "EAGAIN"]
        #expect(results == ["fork": forks.joined(separator: " "), "again": "allowed"])
        #expect(observed.accesses == [])
    }

    @Test func childrenWhoseFirstThreadHasEnded_areCounted() throws {
        let observed = try Observed(.processes, "start_half_ended", "3", SandboxPolicy(processes: 1), socket)
        #expect(try observed.outcome().results == ["fork": "allowed EAGAIN EAGAIN"])
    }

    /// They outlive the process, and the observer ends with the last one of them.
    @Test func childrenOfSeveralThreads_areCounted() throws {
        let observed = try Observed(
            .processes, "start_from_threads", "", SandboxPolicy(processes: 3), socket)
        #expect(try observed.outcome().output == "3\n")
    }

    @Test func stop_failsLaterCalls() throws {
        let outside = place.url("outside").path
        let policy = SandboxPolicy(observation: .accesses)
        let observed = try Observed(
            .files, "change_outside", outside, policy, socket, until: "\(outside)/new")
        let results = try observed.outcome().results
        #expect(results.count == 14)
        #expect(
            results.filter { $0.value != "ENOSYS" } == [
                "chdir": "allowed", "open(\"new\", O_WRONLY | O_CREAT, 0600)": "EACCES",
            ])
    }
}
