/// The number of processors that this process may use.
package enum Processors {
    /// The number when this was first asked, at least 1.
    package static let usable = countUsable()

    /// Counts the processors that the calling thread may use, at least 1. Threads that it starts inherit its
    /// affinity.
    /// - Parameter read: Returns the text of the file at a path; nil when it cannot be read.
    static func countUsable(read: (String) -> String? = Platform.contents) -> Int {
        let online = Platform.onlineProcessors
        var usable = online
        if let status = read("/proc/thread-self/status") {
            let list = read("/sys/devices/system/cpu/online") ?? "0-\(online - 1)"
            usable = allowed(status: status, online: list) ?? online
        }
        return max(1, min(usable, CPUQuota.processors(read: read) ?? usable))
    }

    /// Counts the processors that are switched on and in the affinity of a thread. The result is that of
    /// `sched_getaffinity`, without a mask of fixed size. Nil when a text is not as expected.
    /// - Parameters:
    ///   - status: The text of /proc/thread-self/status. Its list may name processors that are switched off.
    ///   - online: The text of /sys/devices/system/cpu/online, such as `0-3,8`.
    static func allowed(status: String, online: String) -> Int? {
        let name = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let allowed = numbers(line.dropFirst(name.count)), let online = numbers(online[...])
        else { return nil }
        let both = allowed.intersection(online)
        return both.isEmpty ? nil : both.count
    }

    /// The numbers of a list such as `0-3,8`; nil for any other text.
    private static func numbers(_ text: Substring) -> Set<Int>? {
        var numbers: Set<Int> = []
        for part in text.filter({ !$0.isWhitespace }).split(separator: ",", omittingEmptySubsequences: false)
        {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            // No machine has a million processors, so such a text must be wrong.
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], 0 <= first,
                first <= last, last < 1_000_000
            else { return nil }
            numbers.formUnion(first...last)
        }
        return numbers
    }
}
