import CLinux
import Glibc

/// Lets a sandbox start children up to a limit, by counting the members of its process group.
struct ChildGate {
    private struct Member: Hashable {
        let number: Int32
        let parent: Int32
    }

    /// A child that may start, and is not seen yet.
    private struct Start {
        let thread: Int32
        let process: Int32
        let before: Set<Int32>
    }

    private let group: Int32
    private let limit: Int
    private var starts: [Start] = []
    /// Members that are the children of earlier starts.
    private var seen: Set<Int32> = []

    init(group: Int32, limit: Int) { (self.group, self.limit) = (group, limit) }

    /// Whether a thread may start a child now. It must do so when the answer is true.
    mutating func admit(_ thread: Int32) -> Bool {
        // Without a look nobody may start.
        guard let members = Self.members(of: group) else { return false }
        let numbers = Set(members.map(\.number))
        seen.formIntersection(numbers)
        starts = starts.filter { start in
            let child = members.first {
                $0.parent == start.process && !start.before.contains($0.number) && !seen.contains($0.number)
            }
            if let child {
                seen.insert(child.number)
                return false
            }
            // A thread that waits in its next call has started its child, or failed to.
            return start.thread != thread && Self.isStarting(start.thread)
        }
        guard numbers.count + starts.count < limit else { return false }
        starts.append(Start(thread: thread, process: Self.process(of: thread), before: numbers))
        return true
    }

    /// The processes of the group without its leader, also those that have ended and were not waited for: their
    /// other threads may still run. Nil if /proc cannot be read.
    private static func members(of group: Int32) -> [Member]? {
        // Safe because the folder is closed once, and its entries are copied before the next one.
        guard let folder = unsafe opendir("/proc") else { return nil }
        defer { unsafe _ = closedir(folder) }
        var members: [Member] = []
        while let entry = unsafe readdir(folder) {
            guard let number = unsafe Int32(String(cString: linux_entry_name(entry))), number != group else {
                continue
            }
            guard let fields = fields(of: number) else {
                guard errno == ENOENT || errno == ESRCH else { return nil }
                continue
            }
            guard fields.count > 3, Int32(fields[2]) == group, fields[0] != "X" else { continue }
            members.append(Member(number: number, parent: Int32(fields[1]) ?? 0))
        }
        return members
    }

    /// State, parent and group of a process, and what follows in its `stat` of proc(5).
    private static func fields(of number: Int32) -> [Substring]? {
        guard let text = SmallFile.text("/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private static func process(of thread: Int32) -> Int32 {
        let status = SmallFile.text("/proc/\(thread)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Tgid:") }
        return line.flatMap { Int32($0.dropFirst(5).drop { $0 == "\t" }) } ?? thread
    }

    /// Whether the thread may still be in the call that starts the child. A thread that runs may be.
    private static func isStarting(_ thread: Int32) -> Bool {
        guard let text = SmallFile.text("/proc/\(thread)/syscall") else {
            // Safe because the path is borrowed for the call.
            return unsafe access("/proc/\(thread)", F_OK) == 0
        }
        #if arch(x86_64)
            let numbers = ["56 ", "57 ", "58 "]
        #else
            let numbers = ["220 "]
        #endif
        return text.hasPrefix("running") || numbers.contains { text.hasPrefix($0) }
    }
}
