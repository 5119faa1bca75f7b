import CForeignCall
import Glibc

/// The last events of one running loop, for crash reports.
// Safe because the memory is the object's own. One thread at a time writes it, and only a report reads it,
// where a torn word is no harm.
@safe
public final class EventTrail: @unchecked Sendable {
    @usableFromInline let count: UnsafeMutablePointer<UInt64>
    @usableFromInline let last: UnsafeMutablePointer<Int32>
    private let texts: [UnsafeMutablePointer<CChar>]
    private let names: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let added: UnsafeMutableRawPointer?

    /// The trail of a loop that is about to run; `events` are the names of its events by index.
    public init(loop: String, events: [String]) {
        let length = Int(FOREIGN_TRAIL_LENGTH)
        // Safe because all of it is initialised here and freed in `deinit`.
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: 0)
        unsafe last = .allocate(capacity: length)
        unsafe last.initialize(repeating: 0, count: length)
        unsafe texts = ([loop] + events).map { unsafe strdup($0)! }
        unsafe names = .allocate(capacity: texts.count)
        for index in unsafe texts.indices {
            unsafe (names + index).initialize(to: UnsafePointer(texts[index]))
        }
        var trail = unsafe foreign_trail(
            loop: names[0], events: names + 1, event_count: events.count, count: count, last: last)
        unsafe added = foreign_trail_add(&trail)
    }

    deinit {
        // Safe because no report looks at a trail that was removed.
        unsafe foreign_trail_remove(added)
        unsafe count.deallocate()
        unsafe last.deallocate()
        unsafe names.deallocate()
        unsafe texts.forEach { unsafe free($0) }
    }

    /// The loop takes an event, by index; called on its executor only.
    @inlinable @inline(__always)
    public func note(_ event: Int) {
        // Safe because the index is below the length, a power of two.
        let number = unsafe count.pointee
        unsafe last[Int(truncatingIfNeeded: number & 15)] = Int32(truncatingIfNeeded: event)
        unsafe count.pointee = number &+ 1
    }
}
