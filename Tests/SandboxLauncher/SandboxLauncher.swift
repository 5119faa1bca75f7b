import Glibc
import Sandbox

/// A process that applies a policy to itself, loads a library, and calls a function of it.
///
/// `SandboxLauncher [OPTION VALUE]... LIBRARY FUNCTION [ARGUMENT]`. Options that a policy has several values
/// for can be given several times. `keep` is a descriptor that stays, `socket` one over which the listener is
/// sent, `resolved` is `no` for paths as they are, `threads` starts that many threads first, `landlock` is the version to use at most. The exit code is 65
/// if the policy cannot be applied, 66 if the library cannot be loaded.
@main
struct SandboxLauncher {
    private var policy = SandboxPolicy()
    private var isResolved = true
    private var kept: [Int32] = [0, 1, 2]
    private var parent: Int32 = getppid()
    private var socket: Int32?
    private var words: [String] = []
    private var ability = SandboxAbility.current

    static func main() {
        var launcher = SandboxLauncher()
        var rest = CommandLine.arguments.dropFirst()
        while let word = rest.popFirst() {
            if word.hasPrefix("--"), let value = rest.popFirst() {
                launcher.take(String(word.dropFirst(2)), value)
            } else {
                launcher.words.append(word)
            }
        }
        launcher.run()
    }

    private mutating func take(_ option: String, _ value: String) {
        switch option {
        case "read": policy.read.append(value)
        case "write": policy.write.append(value)
        case "exec": policy.exec.append(value)
        case "library": policy.libraries.append(value)
        case "connect": if let peer = SandboxPolicy.Peer(value) { policy.connect.insert(peer) }
        case "listen": if let port = UInt16(value) { policy.listen.insert(port) }
        case "scratch": policy.scratch = value
        case "memory": policy.memory = UInt64(value)
        case "files": policy.files = Int(value)
        case "processes": policy.processes = Int(value) ?? 0
        case "observation": policy.observation = value == "profile" ? .profile : .accesses
        case "keep": if let number = Int32(value) { kept.append(number) }
        case "socket": socket = Int32(value)
        case "parent": parent = Int32(value) ?? 0
        case "sees-processes": policy.seesOtherProcesses = value == "yes"
        case "best-effort": policy.isBestEffort = value == "yes"
        case "resolved": isResolved = value == "yes"
        case "landlock":
            ability = SandboxAbility(
                landlock: Int(value) ?? 0, hasFilters: ability.hasFilters,
                hasNotifications: ability.hasNotifications)
        case "threads": for _ in 0..<(Int(value) ?? 0) { Self.startThread() }
        default: Self.fail("no option \(option)", 64)
        }
    }

    private func run() {
        do throws(SandboxError) {
            let applied = try (isResolved ? policy.resolved() : policy).apply(
                keeping: kept + [socket].compactMap { $0 }, parent: parent, with: ability)
            for skipped in applied.skipped { Self.say("skipped: \(skipped)") }
            if let socket { try applied.handOver(through: socket) }
        } catch {
            Self.fail("\(error)", 65)
        }
        typealias Attempt = @convention(c) (UnsafePointer<CChar>) -> Void
        // Safe because the fixtures declare their functions so.
        guard let library = unsafe dlopen(words[0], RTLD_NOW), let symbol = unsafe dlsym(library, words[1])
        else {
            unsafe Self.fail(String(cString: dlerror()), 66)
        }
        let attempt = unsafe unsafeBitCast(symbol, to: Attempt.self)
        unsafe attempt(words.count > 2 ? words[2] : "")
        exit(0)
    }

    private static func startThread() {
        var thread = pthread_t()
        // Safe because the thread uses nothing.
        unsafe pthread_create(
            &thread, nil,
            { _ in
                while true { pause() }
            }, nil)
    }

    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        // Safe because the call reads the bytes alone.
        unsafe _ = write(STDERR_FILENO, line, line.count)
    }

    private static func fail(_ text: String, _ status: Int32) -> Never {
        say(text)
        exit(status)
    }
}
