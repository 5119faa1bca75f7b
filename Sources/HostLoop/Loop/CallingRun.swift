/// A run's number and the place of its feedback in one word, so that both are read and written at once.
@usableFromInline
enum CallingRun {
    /// Never 0. Of a number that needs more than 40 bits only these are kept.
    @inlinable @inline(__always)
    static func packed(_ number: UInt64, of feedback: Int32) -> UInt64 {
        UInt64(truncatingIfNeeded: feedback &+ 1) &<< 40 | number & 0xff_ffff_ffff
    }

    /// Nil for 0.
    static func unpacked(_ word: UInt64) -> (number: UInt64, feedback: Int32)? {
        guard word != 0 else { return nil }
        return (word & 0xff_ffff_ffff, Int32(truncatingIfNeeded: word &>> 40) - 1)
    }
}
