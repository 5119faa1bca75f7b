import CForeignCall
import HostLoop

/// Whether a plugin may still be called: after a crash in one of its calls it may not.
// Safe because the mark outlives all functions that it marks, and is read and written as one atomic.
@safe
final class Quarantine: @unchecked Sendable {
    /// The mark of all functions of the plugin.
    let mark: UnsafeMutablePointer<Int32>
    private let cause = Lock<String?>(nil)

    init() { unsafe mark = foreign_quarantine_create() }

    /// Frees the mark. All functions that it marks are gone.
    func free() { unsafe foreign_quarantine_destroy(mark) }

    /// True when the plugin is not called any more.
    var hasBegun: Bool { unsafe foreign_is_quarantined(mark) }

    /// The reason in words: `` effect `crash` crashed with SIGSEGV ``.
    var reason: String { cause.withLock { $0 } ?? "one of its calls crashed" }

    /// Keeps the reason of the first crash; false for a later one.
    func begin(_ reason: String) -> Bool {
        cause.withLock { cause in
            guard cause == nil else { return false }
            cause = reason
            return true
        }
    }
}
