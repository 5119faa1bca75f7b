public import Diagnostics
public import Expressions
public import Records

/// The callback of an argument: what the host does when C calls it. `{ callback = … }`.
public struct CallbackModel: Sendable {
    /// The parameter's index in `CallSignature.parameters`.
    public let parameter: Int
    /// Computes what a call returns, and the expression in its file, of which `EvaluationFault.range` is a
    /// range; nil for zero or for no result.
    public let result: (store: Store, text: SourceText)?
    /// What a call returns that the host cannot answer: a record with the field `result`; nil for no result.
    public let fallback: Record?
    /// The events to send for each call.
    public let batch: EmissionBatch

    /// The slots of the frame that its expressions read (`FrameSlot`).
    public var reads: Set<Int> {
        var reads = result?.store.reads ?? []
        for emission in batch.emissions {
            reads.formUnion(emission.condition?.reads ?? [])
            for assignment in emission.assignments { reads.formUnion(assignment.store.reads) }
        }
        return reads
    }

    /// The callback of one parameter.
    public init(
        parameter: Int, result: (store: Store, text: SourceText)?, fallback: Record?, batch: EmissionBatch
    ) {
        (self.parameter, self.result, self.fallback, self.batch) = (parameter, result, fallback, batch)
    }
}
