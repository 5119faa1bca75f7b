import Foundation
import TestSupport
import Testing

@testable import HostLoop

/// The number of threads of the pool: the part of the machine that affinity and control groups allow.
@Suite struct ProcessorsTests {
    private func online() throws -> Int {
        let outcome = try Shell.run("getconf", ["_NPROCESSORS_ONLN"])
        return try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    @Test func aThreadThatMayRunOnOneProcessor_countsOne() throws {
        let (before, after) = try OtherThread.result {
            let before = Processors.countUsable()
            // The link is `PID/task/TID`. The thread ends here, so its affinity need not be restored.
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            let thread = try #require(link.split(separator: "/").last)
            let outcome = try Shell.run("taskset", ["--pid", "--cpu-list", "0", String(thread)])
            try #require(outcome.status == 0, "\(outcome.errors)")
            return (before, Processors.countUsable())
        }
        #expect(after == 1)
        #expect(try (1...online()).contains(before))
    }

    @Test func anAffinityCountsProcessorsThatAreSwitchedOn() {
        let status = "Name:\ttest\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7,12\nMems_allowed_list:\t0\n"
        #expect(Processors.allowed(status: status, online: "0-63\n") == 9)
        #expect(Processors.allowed(status: status, online: "0-1,6,12-15\n") == 4)
        #expect(Processors.allowed(status: status, online: "5\n") == 1)
        let large = "Cpus_allowed_list:\t0,2-1499\n"
        #expect(Processors.allowed(status: large, online: "0-2047\n") == 1499)
    }

    @Test(arguments: [
        "", "Name:\ttest\n", "Cpus_allowed_list:\t\n", "Cpus_allowed_list:\t3-1\n",
        "Cpus_allowed_list:\t-1\n",
        "Cpus_allowed_list:\t0-1-2\n", "Cpus_allowed_list:\tall\n", "Cpus_allowed_list:\t0-99999999999\n",
        "Cpus_allowed_list:\t9\n",
    ])
    func anAffinityThatIsNotAsExpected_isNone(status: String) {
        #expect(Processors.allowed(status: status, online: "0-7\n") == nil)
        #expect(Processors.allowed(status: "Cpus_allowed_list:\t0-7\n", online: "garbage") == nil)
    }

    @Test func aMachineWithoutThoseFilesHasItsProcessorsThatAreSwitchedOn() throws {
        #expect(try Processors.countUsable(read: { _ in nil }) == online())
    }

    @Test func affinityAndQuotaHoldBoth() {
        var files = [
            "/proc/thread-self/status": "Cpus_allowed_list:\t0-5\n",
            "/sys/devices/system/cpu/online": "0-7\n",
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": "26 25 0:24 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        ]
        #expect(Processors.countUsable { files[$0] } == 6)
        files["/sys/fs/cgroup/cpu.max"] = "350000 100000\n"
        #expect(Processors.countUsable { files[$0] } == 4)
        files["/sys/fs/cgroup/cpu.max"] = "1000 100000\n"
        #expect(Processors.countUsable { files[$0] } == 1)
        files["/sys/fs/cgroup/cpu.max"] = "6400000 100000\n"
        #expect(Processors.countUsable { files[$0] } == 6)
    }
}
