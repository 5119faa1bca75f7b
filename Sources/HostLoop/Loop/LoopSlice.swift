/// The time for which a loop may keep its thread: 1,024 steps or 1 ms.
///
/// It reads the clock after the first step, and then as often as the average length of a step requires: after
/// each step when steps are long, every 64 steps when they are short.
@usableFromInline
struct LoopSlice {
    @usableFromInline static var steps: Int { 1024 }
    @usableFromInline static var nanoseconds: Int64 { 1_000_000 }

    @usableFromInline var taken = 0
    @usableFromInline var nextLook = 1
    @usableFromInline let began: LoopInstant

    /// Begins a slice. If `instant` is nil, the slice has no end.
    @usableFromInline
    init(at instant: LoopInstant?) {
        began = instant ?? LoopInstant(nanoseconds: 0)
        if instant == nil { nextLook = .max }
    }

    /// Counts a step. Returns whether the loop must read the clock now.
    @inlinable @inline(__always)
    mutating func countStep() -> Bool {
        taken &+= 1
        return taken >= nextLook
    }

    /// Whether the loop must yield its thread at `instant`.
    @usableFromInline
    mutating func isOver(at instant: LoopInstant) -> Bool {
        let elapsed = instant.nanoseconds - began.nanoseconds
        guard taken < Self.steps, elapsed < Self.nanoseconds else { return true }
        let average = max(1, elapsed / Int64(taken))
        nextLook = min(Self.steps, taken + Int(min(64, max(1, (Self.nanoseconds - elapsed) / average / 2))))
        return false
    }
}
