import Expressions
import Glibc
import Manifest
import Records

/// The addresses that the expressions of one loop read from, one per `FrameSlot`.
///
/// One thread at a time uses it: that of the loop, or the one that evaluates with it.
@safe
final class ExpressionFrame {
    // Safe because the table lives as long as this object, which alone writes it.
    private let slots: UnsafeMutablePointer<UnsafeRawPointer?>
    private let now: UnsafeMutablePointer<Int64>
    // Keeps the record of the slot `config`.
    private let config: Record
    /// The values of the names in `let`; nil without any.
    private let bindings: BindingMemory?

    /// - Parameter bindings: `LoopModel.bindings` of the loop whose expressions it is for.
    init(config: Record, bindings: Int) {
        self.config = config
        self.bindings = bindings > 0 ? BindingMemory(count: bindings) : nil
        // Safe because both are initialised here and freed in `deinit`.
        unsafe slots = .allocate(capacity: FrameSlot.allCases.count)
        unsafe slots.initialize(repeating: nil, count: FrameSlot.allCases.count)
        unsafe now = .allocate(capacity: 1)
        unsafe now.initialize(to: 0)
        unsafe slots[FrameSlot.config.rawValue] = config.unsafeBase
        unsafe slots[FrameSlot.now.rawValue] = UnsafeRawPointer(now)
        unsafe slots[FrameSlot.bindings.rawValue] = self.bindings?.address
    }

    deinit {
        unsafe slots.deallocate()
        unsafe now.deallocate()
    }

    /// The frame for expressions. Valid while the records bound to it live unchanged.
    var frame: Frame { unsafe Frame(UnsafePointer(slots)) }

    /// Binds a record to the slot. The caller keeps it alive while expressions are evaluated.
    ///
    /// The values of `let` are computed again, as they depend on the state and the event.
    @inline(__always)
    func bind(_ slot: FrameSlot, to base: UnsafeRawPointer?) {
        if bindings != nil { forgetValues(of: slot) }
        unsafe slots[slot.rawValue] = unsafe base
    }

    private func forgetValues(of slot: FrameSlot) {
        switch slot {
        case .state, .event: forgetValues()
        default: break
        }
    }

    /// Frees the values of `let`. They are computed again when an expression names them.
    func forgetValues() { bindings?.forget() }

    /// Binds another copy of the same state.
    func rebindState(to base: UnsafeRawPointer) {
        unsafe slots[FrameSlot.state.rawValue] = unsafe base
    }

    /// The address of a field that an argument names.
    func address(of field: FieldReference.Place) -> UnsafeRawPointer {
        // Safe because the manifest's scope promises the slot where the field is named.
        guard let base = unsafe slots[field.slot] else {
            preconditionFailure("an argument names a bound slot")
        }
        return unsafe base + field.offset
    }

    /// The value of `now`: nanoseconds since the Unix epoch.
    var time: Int64 { unsafe now.pointee }

    /// Sets `now` to a time of another run.
    func setTime(_ nanoseconds: Int64) { unsafe now.pointee = nanoseconds }

    /// Sets `now` to the current time, for a step.
    func takeTime() {
        unsafe now.pointee = WallClock.nanoseconds
    }
}

/// The time of day.
enum WallClock {
    /// Nanoseconds since the Unix epoch (`clock_gettime` with `CLOCK_REALTIME`).
    static var nanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
