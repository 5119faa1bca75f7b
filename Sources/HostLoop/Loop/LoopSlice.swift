/// How long a loop may keep its thread: 1,024 steps or a millisecond.
///
/// The clock is read after the first step and then as often as the average so far asks for: after each step when
/// steps are long, every 64 when they are short.
@usableFromInline
struct LoopSlice {
    @usableFromInline static var steps: Int { 1024 }
    @usableFromInline static var nanoseconds: Int64 { 1_000_000 }

    @usableFromInline var taken = 0
    @usableFromInline var nextLook = 1
    @usableFromInline let began: LoopInstant

    /// Begins a slice; nil: one without an end.
    @usableFromInline
    init(at instant: LoopInstant?) {
        began = instant ?? LoopInstant(nanoseconds: 0)
        if instant == nil { nextLook = .max }
    }

    /// Counts a step; true when it is time to look at the clock.
    @inlinable @inline(__always)
    mutating func countStep() -> Bool {
        taken &+= 1
        return taken >= nextLook
    }

    /// Whether the thread has to be left at `instant`.
    @usableFromInline
    mutating func isOver(at instant: LoopInstant) -> Bool {
        let elapsed = instant.nanoseconds - began.nanoseconds
        guard taken < Self.steps, elapsed < Self.nanoseconds else { return true }
        let average = max(1, elapsed / Int64(taken))
        nextLook = min(Self.steps, taken + Int(min(64, max(1, (Self.nanoseconds - elapsed) / average / 2))))
        return false
    }
}
