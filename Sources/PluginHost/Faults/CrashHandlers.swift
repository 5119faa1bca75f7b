import CForeignCall
import HostLoop

/// The handlers of the signals that a crash raises, which belong to the whole process.
enum CrashHandlers {
    /// A handler that somebody put in the place of the host's.
    struct Replaced {
        let signal: String
        /// Where its code is; nil for the default action, for ignoring, and for code that no library has.
        let library: String?

        /// What to tell about it.
        var text: String {
            let by = library.map { "by one of `\($0)`" } ?? "by the default action or by ignoring it"
            return "the handler of \(signal) was replaced \(by); the host's is in front of it again"
        }
    }

    private static let lock = Lock(())

    /// Puts the host's handlers in front of whatever is installed, unless they are; what was replaced since the
    /// last time.
    static func install() -> [Replaced] {
        lock.withLock { _ in
            let count = Int(FOREIGN_GUARDED_SIGNALS)
            // Safe because the memory has room for all of them.
            return unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: count) { handlers in
                let found = unsafe foreign_guard_install(handlers.baseAddress!)
                return (0..<count).filter { found & 1 << $0 != 0 }.map { index in
                    unsafe Replaced(
                        signal: String(cString: foreign_guarded_signal(index)),
                        library: library(handlers[index]))
                }
            }
        }
    }

    private static func library(_ address: UInt) -> String? {
        // Safe because the loader only compares the address, and its text is copied.
        guard let name = unsafe foreign_image_of(UnsafeRawPointer(bitPattern: address)) else { return nil }
        return unsafe String(cString: name)
    }
}
