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

    /// What its expressions read of the frame (`FrameSlot`).
    public var reads: FrameReads {
        var reads = batch.reads
        if let result { reads.formUnion(result.store.reads) }
        return reads
    }

    /// The callback of one parameter.
    public init(
        parameter: Int, result: (store: Store, text: SourceText)?, fallback: Record?, batch: EmissionBatch
    ) {
        (self.parameter, self.result, self.fallback, self.batch) = (parameter, result, fallback, batch)
    }
}
