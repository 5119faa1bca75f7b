import Foundation
import Sandbox
import TestSupport
import Testing

@testable import spinhost

/// `spinhost doctor`
@Suite(.timeLimit(.minutes(10))) struct DoctorCommandTests {
    /// A folder of programs that is the whole PATH. Each of them prints its version.
    private struct Tools {
        let folder = try! TemporaryFolder()

        init(_ versions: [String: String]) throws {
            for (name, version) in versions {
                try folder.write(
                    name, "#!/bin/sh\n[ \"${1#--}\" = version ] && echo '\(version)' && echo more\n")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: folder.url(name).path)
            }
            try FileManager.default.createSymbolicLink(
                atPath: folder.url("timeout").path, withDestinationPath: "/usr/bin/timeout")
        }

        func doctor(_ arguments: String..., environment: [String: String] = [:]) throws -> Shell.Outcome {
            let clean = ["PATH": folder.root.path, "CC": "", "CXX": "", "SPINHOST_INSPECTOR": "/bin/sh"]
            return try Shell.run(
                Project.spinhost, ["doctor"] + arguments,
                environment: clean.merging(environment) { $1 })
        }
    }

    private static func lines(_ outcome: Shell.Outcome, _ names: [String]) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { line in
            names.contains { line.dropFirst(9).hasPrefix("\($0): ") }
        }
    }

    @Test func `What is there is shown with its version, and the exit code is 0`() throws {
        let tools = try Tools([
            "cc": "cc (Debian 12.2.0-14) 12.2.0", "c++": "c++ (Debian 12.2.0-14) 12.2.0",
            "make": "GNU Make 4.3",
            "cmake": "cmake version 3.25.1", "ninja": "1.11.1",
            "swiftc": "Swift version 6.3.1 (swift-6.3.1-RELEASE)",
            "cargo": "cargo 1.83.0 (5ffbef321 2024-10-29)", "python-zig": "0.17.1",
        ])
        let outcome = try tools.doctor()
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(
            Self.lines(
                outcome,
                [
                    "C compiler", "C++ compiler", "Make", "CMake", "Ninja", "Swift", "Cargo", "Zig",
                    "libcurl", "libwslay", "libmicrohttpd", "libmosquitto", "hiredis", "SQLite", "Inspector",
                    "Program",
                ])
                == [
                    "ok       Program: \(Project.spinhost)",
                    "ok       C compiler: cc (Debian 12.2.0-14) 12.2.0",
                    "ok       C++ compiler: c++ (Debian 12.2.0-14) 12.2.0",
                    "ok       Make: GNU Make 4.3",
                    "ok       CMake: cmake version 3.25.1",
                    "ok       Ninja: 1.11.1",
                    "ok       Swift: Swift version 6.3.1 (swift-6.3.1-RELEASE)",
                    "ok       Cargo: cargo 1.83.0 (5ffbef321 2024-10-29)",
                    "ok       Zig: 0.17.1",
                    "ok       SQLite: 3.40.1",
                    "ok       libcurl: libcurl/7.88.1",
                    "ok       libwslay: 1",
                    "ok       libmicrohttpd: 0.9.75",
                    "ok       libmosquitto: 2.0.11",
                    "ok       hiredis: 0.14",
                    "ok       Inspector: /bin/sh",
                ])
        // Debian updates these.
        for (name, version) in [("libpq", "15."), ("OpenSSL", "3.0.")] {
            let lines = Self.lines(outcome, [name])
            #expect(lines.count == 1 && lines[0].hasPrefix("ok       \(name): \(version)"), "\(lines)")
        }
    }

    @Test func `What is missing is shown with what mends it, and apps run without it`() throws {
        let outcome = try Tools([:]).doctor(environment: ["SPINHOST_INSPECTOR": ""])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            Self.lines(
                outcome,
                [
                    "C compiler", "C++ compiler", "Make", "CMake", "Ninja", "Swift", "Cargo", "Zig",
                    "Inspector",
                ]) == [
                    "missing  C compiler: it builds plugins in C, and reads C headers, and there is no such program; type: apt install gcc libc6-dev",
                    "missing  C++ compiler: it builds plugins in C++, and there is no such program; type: apt install g++",
                    "missing  Make: it builds the projects of `spinhost new --template c`, and there is no such program; type: apt install make",
                    "missing  CMake: it builds the projects of `spinhost plugin new`, and there is no such program; type: apt install cmake",
                    "missing  Ninja: it is what CMake builds these projects with, and there is no such program; type: apt install ninja-build",
                    "missing  Swift: it builds plugins in Swift, and there is no such program; https://www.swift.org/install/linux says how to install it",
                    "missing  Cargo: it builds plugins in Rust, and there is no such program; https://rustup.rs says how to install it",
                    "missing  Zig: it builds plugins in Zig, and there is no such program; https://ziglang.org/download has it, and so has `pipx install ziglang`",
                    "missing  Inspector: `spinhost-inspector` serves the page of an app; in a checkout, type: script/inspector release; or install it beside `spinhost`, in a folder of PATH, or name it in SPINHOST_INSPECTOR",
                ])
    }

    @Test func `A version that is too old is shown with the one that is needed`() throws {
        let tools = try Tools([
            "cmake": "cmake version 3.9.6", "swiftc": "Swift version 5.10 (swift-5.10)", "zig": "0.16.0",
        ])
        #expect(
            Self.lines(try tools.doctor(), ["CMake", "Swift", "Zig"]) == [
                "old      CMake: `cmake version 3.9.6`; it builds the projects of `spinhost plugin new` from version 3.25 on; type: apt install cmake",
                "old      Swift: `Swift version 5.10 (swift-5.10)`; it builds plugins in Swift from version 6.3 on; https://www.swift.org/install/linux says how to install it",
                "old      Zig: `0.16.0`; it builds plugins in Zig from version 0.17 on; https://ziglang.org/download has it, and so has `pipx install ziglang`",
            ])
    }

    @Test func `The compiler is that of CC, which may have several words`() throws {
        let tools = try Tools(["wrap": "wrapped 1.0"])
        let wrapper = "#!/bin/sh\n[ \"$1 $2\" = 'gcc --version' ] && echo 'wrapped gcc 1.0'\n"
        try tools.folder.write("wrap", wrapper)
        let outcome = try tools.doctor(environment: ["CC": "wrap gcc"])
        #expect(Self.lines(outcome, ["C compiler"]) == ["ok       C compiler: wrapped gcc 1.0"])
    }

    @Test func `Without a folder for copies no app runs, and the exit code is 69`() throws {
        let outcome = try Tools([:]).doctor(environment: ["TMPDIR": "/nowhere"])
        #expect(outcome.status == 69)
        #expect(
            Self.lines(outcome, ["Folder for copies of libraries"]) == [
                "FAIL     Folder for copies of libraries: cannot make a folder for copies of libraries in `/nowhere`: no such file or directory; set TMPDIR to a folder that can be written"
            ])
    }

    @Test func `--json prints an object for each finding`() throws {
        struct Line: Decodable {
            let name, status, text: String
            let required: Bool
            let command, advice: String?
        }
        let tools = try Tools(["cmake": "cmake version 3.25.1"])
        let outcome = try tools.doctor("--json", environment: ["TMPDIR": "/nowhere"])
        #expect(outcome.status == 69 && outcome.errors.isEmpty)
        let lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        let byName = Dictionary(uniqueKeysWithValues: lines.map { ($0.name, $0) })
        #expect(byName.count == 23)
        #expect(byName["CMake"]?.status == "ok" && byName["CMake"]?.text == "cmake version 3.25.1")
        #expect(byName["CMake"]?.command == nil && byName["CMake"]?.advice == nil)
        #expect(byName["Ninja"]?.status == "missing" && byName["Ninja"]?.command == "apt install ninja-build")
        #expect(lines.filter(\.required).map(\.name) == ["Program", "Folder for copies of libraries"])
        #expect(lines.filter(\.required).map(\.status) == ["ok", "missing"])
    }

    @Test func `The kernel's features are those that sandboxes of plugins need`() {
        let newest = DoctorCheckup.kernel(
            SandboxAbility(landlock: 7, hasFilters: true, hasNotifications: true))
        #expect(
            newest.map(\.line) == [
                "ok       Landlock: version 7", "ok       Filters of system calls: seccomp",
                "ok       Filters that ask: seccomp",
            ])
        let old = DoctorCheckup.kernel(
            SandboxAbility(landlock: 2, hasFilters: true, hasNotifications: false))
        #expect(old.map(\.status) == [.old, .ok, .missing])
        let remedy =
            "boot Linux 6.12 or newer (apt install -t bookworm-backports linux-image-$(dpkg --print-architecture))"
        #expect(
            old[0].line
                == "old      Landlock: version 2; a file that can be read can be cut to no bytes (Landlock 3, Linux 6.2); `connect` cannot be limited to `tcp:443` (Landlock 4, Linux 6.7); `unix` of `connect` allows abstract sockets, too (Landlock 6, Linux 6.12); \(remedy)"
        )
        let none = DoctorCheckup.kernel(
            SandboxAbility(landlock: 0, hasFilters: false, hasNotifications: false))
        #expect(none.map(\.status) == [.missing, .missing, .missing])
        #expect(none.map(\.isFatal) == [false, false, false])
    }
}
