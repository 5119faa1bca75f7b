/// Names a run within its loop.
@usableFromInline
struct RunKey: Hashable, Sendable {
    @usableFromInline let feedback: Int32
    @usableFromInline let number: UInt64

    @inlinable
    init(feedback: Int32, number: UInt64) {
        self.feedback = feedback
        self.number = number
    }
}
