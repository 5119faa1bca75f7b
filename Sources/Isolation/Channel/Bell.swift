import CRing

/// A number that threads of this process wait for. May be used from any thread.
// Safe because all access to the number is atomic, and it lives as long as this object.
@safe
final class Bell: @unchecked Sendable {
    private let bell: UnsafeMutablePointer<ring_bell>

    init() {
        unsafe bell = .allocate(capacity: 1)
        unsafe bell.initialize(to: ring_bell(rings: 0))
    }

    deinit { unsafe bell.deallocate() }

    /// How often it was rung.
    var rings: UInt32 { unsafe ring_bell_rings(bell) }

    /// Waits until it was rung more often than `rings`; nil: for ever. It may return earlier.
    func wait(beyond rings: UInt32, atMost limit: Duration? = nil) {
        unsafe ring_bell_wait(bell, rings, limit.map { max(0, $0.wholeNanoseconds) } ?? -1)
    }

    /// Wakes the threads that wait, or one of them.
    func ring(all: Bool = true) { unsafe ring_bell_ring(bell, all ? .max : 1) }
}
