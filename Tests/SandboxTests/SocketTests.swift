import Foundation
import Sandbox
import Testing
import TestSupport

/// Sockets: a process reaches the ports that its policy names, and nothing else.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct SocketTests {
    @Test func sockets_areThoseOfThePolicy() throws {
        let none = try Self.run("open_sockets", "", [])
        #expect(none.count == 13)
        #expect(Set(none.values) == ["EACCES"])
        #expect(
            Set(try Self.run("open_sockets", "", [.tcp(80)]).filter { $0.value == "allowed" }.keys) == [
                "socket(AF_INET, SOCK_STREAM, 0)", "socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP)",
            ])
        #expect(
            Set(try Self.run("open_sockets", "", [.unix]).filter { $0.value == "allowed" }.keys) == [
                "socket(AF_UNIX, SOCK_STREAM, 0)", "socket(AF_UNIX, SOCK_DGRAM, 0)",
            ])
    }

    @Test func port_mustBeNamed() throws {
        let (named, other) = (try LocalServer(), try LocalServer())
        let policy: Set<SandboxPolicy.Peer> = [.tcp(named.port)]
        #expect(
            try Self.run("connect_tcp", "\(named.port)", policy) == [
                "socket": "allowed", "connect": "allowed",
            ])
        #expect(
            try Self.run("connect_tcp", "\(other.port)", policy) == [
                "socket": "allowed", "connect": "EACCES",
            ])
        #expect(
            try Self.run("connect_tcp", "\(named.port)", []) == ["socket": "EACCES", "connect": "EACCES"])
    }

    @Test func fastOpen_doesNotGoPastTheRules() throws {
        let (named, other) = (try LocalServer(), try LocalServer())
        #expect(
            try Self.run("connect_fast", "\(other.port)", [.tcp(named.port)]) == [
                "sendto": "EACCES", "sendmsg": "EOPNOTSUPP", "sendmmsg": "EOPNOTSUPP",
                "setsockopt": "allowed",
                "connect": "EACCES",
            ])
    }

    @Test func nobodyCanConnectToIt() throws {
        #expect(
            try Self.run("listen_tcp", "0", [.tcp(80), .unix]) == ["bind": "EACCES", "listen": "EACCES"])
    }

    @Test func portToListenAt_mustBeNamed() throws {
        let free = try LocalServer().port
        let heard = ["bind": "allowed", "listen": "allowed"]
        #expect(try Self.run("listen_tcp", "\(free)", listen: [free]) == heard)
        #expect(try Self.run("listen_tcp", "0", listen: [0]) == heard)
        #expect(try Self.run("listen_tcp", "\(free)", listen: [0])["bind"] == "EACCES")
        #expect(try Self.run("listen_tcp", "0", listen: [free])["bind"] == "EACCES")
    }

    /// What may listen may not connect, not even to itself.
    @Test func listening_isNotConnecting() throws {
        #expect(
            try Self.run("serve_tcp", "0", listen: [0]) == [
                "bind": "allowed", "listen": "allowed", "getsockname": "allowed", "connect": "EACCES",
            ])
    }

    @Test func socketWithoutAnAddress_listensOnlyIfAPortIsNamed() throws {
        #expect(try Self.run("listen_without_address", "", [.tcp(80)]) == ["listen": "EACCES"])
        #expect(try Self.run("listen_without_address", "", listen: [80]) == ["listen": "allowed"])
    }

    @Test func localSocket_isNeverListenedAt() throws {
        let folder = try TemporaryFolder()
        let policy = SandboxPolicy(write: [folder.root.path], connect: [.unix], listen: [0])
        let outcome = try SandboxedProcess.run(.sockets, "listen_local", folder.url("s").path, policy)
        #expect(outcome.results == ["bind": "EACCES"])
    }

    @Test func localSocket_needsUnix() throws {
        let folder = try TemporaryFolder()
        let name = folder.url("s").path
        let server = try LocalServer(local: name)
        defer { withExtendedLifetime(server) {} }
        #expect(try Self.run("connect_local", name, [.tcp(80)]) == ["socket": "EACCES", "connect": "EBADF"])
        #expect(try Self.run("connect_local", name, [.unix]) == ["socket": "allowed", "connect": "allowed"])
    }

    @Test func abstractSocket_ofAnotherProgram_isRefused() throws {
        let name = "@spinhost-test-\(UUID().uuidString)"
        let server = try LocalServer(local: name)
        defer { withExtendedLifetime(server) {} }
        #expect(try Self.run("connect_local", name, [.unix]) == ["socket": "allowed", "connect": "EPERM"])
    }

    @Test func pair_doesNotReachOtherSockets() throws {
        let folder = try TemporaryFolder()
        let name = folder.url("s").path
        let server = try LocalServer(local: name, type: Int32(SOCK_DGRAM.rawValue))
        defer { withExtendedLifetime(server) {} }
        let results = try Self.run("send_by_pair", name, [])
        #expect(
            results == [
                "socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)": "EACCES",
                "socketpair(AF_INET, SOCK_STREAM, 0, ends)": "EACCES",
                "socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)": "allowed",
                "socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)": "allowed",
                "send(ends[0], \"x\", 1, 0)": "allowed", "sendto": "EACCES", "connect": "EACCES",
                "attach": "EPERM",
            ])
    }

    /// The descriptor is of a folder's place, so each file in it is opened anew.
    @Test func folderThatIsPassed_givesNoRightsToItsFiles() throws {
        let (folder, pair) = (try TemporaryFolder(), try SocketPair())
        try folder.write("secret", "secret")
        // Safe because the path is borrowed for the call.
        let place = unsafe open(folder.root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(place) }
        try DescriptorPassing.send(place, over: pair.ends.mine)
        let outcome = try SandboxedProcess.run(
            .sockets, "receive_descriptor", "", descriptors: [9: pair.ends.other])
        #expect(
            outcome.results == [
                "recvmsg": "allowed", "openat(folder, \"secret\", O_RDONLY)": "EACCES",
                "openat(folder, \"new\", O_WRONLY | O_CREAT, 0600)": "EACCES",
            ])
    }

    private static func run(
        _ attempt: String, _ argument: String, _ connect: Set<SandboxPolicy.Peer> = [],
        listen: Set<UInt16> = []
    ) throws -> [String: String] {
        let policy = SandboxPolicy(connect: connect, listen: listen)
        let outcome = try SandboxedProcess.run(.sockets, attempt, argument, policy)
        #expect(outcome.signal == 0)
        #expect(outcome.errors == "")
        return outcome.results
    }
}
