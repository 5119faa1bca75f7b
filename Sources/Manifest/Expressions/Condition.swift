public import Diagnostics
public import Expressions

/// A compiled bool expression of the manifest, with its source text for faults at run time.
public struct Condition: Sendable {
    /// The compiled expression.
    public let predicate: Predicate
    /// What it reads of the frame (`FrameSlot`).
    public let reads: FrameReads
    /// The expression in its file. `EvaluationFault.range` is a range of this text.
    public let source: SourceText

    /// A condition compiled from `source`.
    public init(predicate: Predicate, reads: FrameReads, source: SourceText) {
        (self.predicate, self.reads, self.source) = (predicate, reads, source)
    }
}
