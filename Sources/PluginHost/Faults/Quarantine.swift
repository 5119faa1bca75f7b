import CForeignCall
import HostLoop

/// Whether a plugin may still be called: not after one of its calls has crashed.
// Safe because the mark outlives all that is marked by it, and is read and written as one atomic.
@safe
final class Quarantine: @unchecked Sendable {
    /// What all functions of the plugin are marked by.
    let mark: UnsafeMutablePointer<Int32>
    private let cause = Lock<String?>(nil)

    init() { unsafe mark = foreign_quarantine_create() }

    /// Frees the mark, when all functions that are marked by it are gone.
    func free() { unsafe foreign_quarantine_destroy(mark) }

    /// True when the plugin is not called any more.
    var hasBegun: Bool { unsafe foreign_is_quarantined(mark) }

    /// Why, in words: `` effect `crash` crashed with SIGSEGV ``.
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
