public import Diagnostics
public import Expressions

/// A bool expression of the manifest, ready to be tested, with its place for faults of the run.
public struct Condition: Sendable {
    /// The test.
    public let predicate: Predicate
    /// The slots of the frame that it reads (`FrameSlot`).
    public let reads: Set<Int>
    /// The expression in its file; `EvaluationFault.range` counts in it.
    public let source: SourceText

    /// A test of what is written at `source`.
    public init(predicate: Predicate, reads: Set<Int>, source: SourceText) {
        (self.predicate, self.reads, self.source) = (predicate, reads, source)
    }
}
