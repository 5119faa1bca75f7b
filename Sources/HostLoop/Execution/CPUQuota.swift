/// The processor time that Linux control groups give to this process, in whole processors.
///
/// A group has a quota of time in each period. A quota of 150 ms in 100 ms is one and a half processors, so
/// two threads can use it. The limits of all groups above apply, too. Control groups have two versions, and a
/// system may use both at the same time.
enum CPUQuota {
    /// A group's folder in the file system.
    struct Group: Equatable, Sendable {
        var folder: String
        /// Version 2 has one hierarchy for all resources, version 1 has several.
        var isVersion2: Bool
    }

    /// The smallest number of processors that a group of this process allows; nil without a limit.
    /// - Parameter read: Returns the text of the file at a path; nil when there is none.
    static func processors(read: (String) -> String?) -> Int? {
        guard let cgroup = read("/proc/self/cgroup"), let mounts = read("/proc/self/mountinfo") else {
            return nil
        }
        return groups(cgroup: cgroup, mounts: mounts).compactMap { group in
            if group.isVersion2 { return read(group.folder + "/cpu.max").flatMap(processors(max:)) }
            guard let quota = read(group.folder + "/cpu.cfs_quota_us"),
                let period = read(group.folder + "/cpu.cfs_period_us")
            else { return nil }
            return processors(quota: quota, period: period)
        }.min()
    }

    /// The processors that a `cpu.max` allows, such as `150000 100000`. Nil without a limit (`max 100000`),
    /// and for any other text.
    static func processors(max text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { return nil }
        return processors(quota: String(words[0]), period: String(words[1]))
    }

    /// The processors that a quota and a period in microseconds allow, rounded up. Nil without a limit
    /// (version 1 writes -1), and for texts that are not positive numbers.
    static func processors(quota: String, period: String) -> Int? {
        guard let quota = microseconds(quota), let period = microseconds(period) else { return nil }
        return quota / period + (quota % period > 0 ? 1 : 0)
    }

    private static func microseconds(_ text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let number = Int(words[0]), number > 0 else { return nil }
        return number
    }

    /// The groups of a process that may have a quota: its own groups and all groups above, each hierarchy
    /// from the leaf up.
    /// - Parameters:
    ///   - cgroup: The text of /proc/self/cgroup.
    ///   - mounts: The text of /proc/self/mountinfo.
    static func groups(cgroup: String, mounts: String) -> [Group] {
        let memberships = cgroup.split(separator: "\n").compactMap(Membership.init)
        let mounts = mounts.split(separator: "\n").compactMap(Mount.init)
        return memberships.flatMap { membership in
            mounts.filter { $0.isVersion2 == membership.isVersion2 }.flatMap { mount in
                mount.folders(of: membership.path).map {
                    Group(folder: $0, isVersion2: mount.isVersion2)
                }
            }
        }
    }

    /// A line of /proc/self/cgroup, such as `4:cpu,cpuacct:/user.slice` or, in version 2, `0::/user.slice`.
    private struct Membership {
        var path: [Substring]
        var isVersion2: Bool

        /// Nil unless the hierarchy may limit processors.
        init?(_ line: Substring) {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { return nil }
            isVersion2 = fields[0] == "0" && fields[1].isEmpty
            guard isVersion2 || fields[1].split(separator: ",").contains("cpu") else { return nil }
            path = fields[2].split(separator: "/")
        }
    }

    /// A line of /proc/self/mountinfo, such as
    /// `33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu`.
    private struct Mount {
        /// The group that the mount point shows.
        var root: [Substring]
        var point: String
        var isVersion2: Bool

        /// Nil unless the mount shows control groups that may limit processors.
        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            // There may be any number of optional fields before the dash.
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count >= dash + 4 else {
                return nil
            }
            isVersion2 = fields[dash + 1] == "cgroup2"
            guard
                isVersion2
                    || fields[dash + 1] == "cgroup" && fields[dash + 3].split(separator: ",").contains("cpu")
            else { return nil }
            root = Substring(unescaped(fields[3])).split(separator: "/")
            point = unescaped(fields[4])
        }

        /// The folders of the group at `path` and of the groups above it. Empty when the mount does not show
        /// the group.
        func folders(of path: [Substring]) -> [String] {
            guard path.starts(with: root), !path.contains("..") else { return [] }
            let below = path.dropFirst(root.count)
            return (0...below.count).reversed().map { depth in
                below.prefix(depth).reduce(point == "/" ? "" : point) { $0 + "/" + $1 }
            }
        }
    }

    /// A field of mountinfo without its escapes: the kernel writes a space, for example, as `\040`.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
