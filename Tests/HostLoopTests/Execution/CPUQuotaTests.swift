import Testing

@testable import HostLoop

/// Quotas of control groups, from the kernel's texts.
@Suite struct CPUQuotaTests {
    @Test func aQuotaOfVersion2_isRoundedUpToWholeProcessors() {
        let texts = [
            "max 100000\n", "150000 100000\n", "200000 100000\n", "200001 100000\n", "1000 100000\n",
        ]
        #expect(texts.map { CPUQuota.processors(max: $0) } == [nil, 2, 2, 3, 1])
    }

    @Test(arguments: [
        "", "\n", "max", "max max\n", "100000\n", "-1 100000\n", "0 100000\n", "100000 0\n", "1e5 100000\n",
        "100000 100000 100000\n", "99999999999999999999 100000\n", "50 % of one\n",
    ])
    func anyOtherTextOfVersion2_isNoQuota(text: String) {
        #expect(CPUQuota.processors(max: text) == nil)
    }

    @Test func aQuotaOfVersion1_isRoundedUpToWholeProcessors_minusOneMeansNoLimit() {
        let quotas = ["-1\n", "150000\n", "50000\n", "0\n", "garbage\n", "100000 100000\n", ""]
        #expect(
            quotas.map { CPUQuota.processors(quota: $0, period: "100000\n") } == [
                nil, 2, 1, nil, nil, nil, nil,
            ])
        #expect(CPUQuota.processors(quota: "100000\n", period: "0\n") == nil)
        #expect(CPUQuota.processors(quota: "9223372036854775807\n", period: "2\n") == 1 << 62)
    }

    /// A service of systemd: one hierarchy.
    @Test func inVersion2_theTightestOfTheGroupAndItsParentsHolds() {
        var files = [
            "/proc/self/cgroup": "0::/system.slice/app.slice/host.service\n",
            "/proc/self/mountinfo": """
            22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
            28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
            35 23 0:29 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot

            """,
        ]
        #expect(CPUQuota.processors { files[$0] } == nil)
        files["/sys/fs/cgroup/system.slice/app.slice/host.service/cpu.max"] = "max 100000\n"
        #expect(CPUQuota.processors { files[$0] } == nil)
        files["/sys/fs/cgroup/system.slice/app.slice/cpu.max"] = "400000 100000\n"
        #expect(CPUQuota.processors { files[$0] } == 4)
        files["/sys/fs/cgroup/system.slice/cpu.max"] = "150000 50000\n"
        #expect(CPUQuota.processors { files[$0] } == 3)
        files["/sys/fs/cgroup/system.slice/app.slice/host.service/cpu.max"] = "garbage\n"
        files["/sys/fs/cgroup/cpu.max"] = "100000 100000\n"
        #expect(CPUQuota.processors { files[$0] } == 1)
    }

    /// A container with a namespace of its own: it sees its group as the root.
    @Test func inAContainer_theGroupIsAtTheMountPoint() {
        let files = [
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": """
            1432 1431 0:29 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate

            """,
            "/sys/fs/cgroup/cpu.max": "150000 100000\n",
        ]
        #expect(CPUQuota.processors { files[$0] } == 2)
    }

    /// A container in version 1 without such a namespace: the mount shows its group only.
    @Test func inVersion1_theMountMayShowAPartOfTheTree() {
        let files = [
            "/proc/self/cgroup": """
            12:pids:/docker/4a1f
            5:cpu,cpuacct:/docker/4a1f/inner
            3:cpuset:/docker/4a1f
            1:name=systemd:/docker/4a1f

            """,
            "/proc/self/mountinfo": """
            608 607 0:26 /docker/4a1f /sys/fs/cgroup/systemd ro,relatime master:11 - cgroup cgroup rw,xattr,name=systemd
            612 607 0:30 /docker/4a1f /sys/fs/cgroup/cpu,cpuacct ro,relatime master:15 - cgroup cgroup rw,cpu,cpuacct
            614 607 0:32 /docker/4a1f /sys/fs/cgroup/cpuset ro,relatime master:17 - cgroup cgroup rw,cpuset

            """,
            "/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us": "-1\n",
            "/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "250000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            // This one limits nothing: its hierarchy is not that of processors.
            "/sys/fs/cgroup/cpuset/cpu.cfs_quota_us": "100000\n",
            "/sys/fs/cgroup/cpuset/cpu.cfs_period_us": "100000\n",
        ]
        #expect(CPUQuota.processors { files[$0] } == 3)
    }

    /// Version 1 for processors, and version 2 beside it, as systemd sets up older systems.
    @Test func inHybridMounts_bothVersionsAreRead() {
        let cgroup = """
            9:name=systemd:/
            3:cpuset:/
            2:cpuacct:/
            1:cpu:/batch
            0::/session
            """
        let mounts = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
            33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
            34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:1 master:2 - cgroup2 cgroup2 rw
            """
        #expect(
            CPUQuota.groups(cgroup: cgroup, mounts: mounts) == [
                .init(folder: "/sys/fs/cgroup/cpu/batch", isVersion2: false),
                .init(folder: "/sys/fs/cgroup/cpu", isVersion2: false),
                .init(folder: "/sys/fs/cgroup/unified/session", isVersion2: true),
                .init(folder: "/sys/fs/cgroup/unified", isVersion2: true),
            ])
    }

    @Test func aMountPointMayHaveASpaceAndAGroupColons() {
        let cgroup = "0::/a:b/c\n"
        let mounts = "41 31 0:38 / /mnt/my\\040groups rw - cgroup2 none rw\n"
        #expect(
            CPUQuota.groups(cgroup: cgroup, mounts: mounts).map(\.folder) == [
                "/mnt/my groups/a:b/c", "/mnt/my groups/a:b", "/mnt/my groups",
            ])
    }

    @Test(arguments: [
        // The mount shows another group.
        ("0::/mine\n", "41 31 0:38 /other /mnt rw - cgroup2 none rw\n"),
        // The group lies outside the namespace.
        ("0::/../mine\n", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 none rw\n"),
        ("", ""), ("0::\n", "\n"), ("garbage", "41 31 0:38 / /mnt rw - cgroup2 none rw\n"),
        ("0::/\n", "41 31 0:38 / /mnt rw shared:1 cgroup2 none rw\n"), ("0::/\n", "41 31 0:38 / /mnt rw -\n"),
        ("0::/\n", "28 1 259:2 / / rw - ext4 /dev/root rw\n"),
    ])
    func aGroupThatNoMountShows_isNotLookedFor(cgroup: String, mounts: String) {
        #expect(CPUQuota.groups(cgroup: cgroup, mounts: mounts).isEmpty)
    }
}
