public import Diagnostics
public import Expressions

/// An argument of a feedback's effect that is handed in.
public struct ArgumentModel: Sendable {
    /// Where its value comes from.
    public enum Source: Sendable {
        /// A field of the state, the event or `config` whose type equals the parameter's: it is compared and copied from where
        /// it lies, without an expression.
        case field(FieldReference)
        /// An expression, stored into the field `input` of `CallSignature.inputs`.
        case store(Store)
    }

    /// The parameter's index in `CallSignature.parameters`.
    public let parameter: Int
    /// The argument's field, as an index into `CallSignature.inputs`.
    public let input: Int
    /// Where the value comes from.
    public let source: Source
    /// The slots of the frame that it reads (`FrameSlot`); none for a constant.
    public let reads: Set<Int>
    /// The expression in its file; `EvaluationFault.range` counts in it.
    public let text: SourceText

    /// An argument for one parameter.
    public init(parameter: Int, input: Int, source: Source, reads: Set<Int>, text: SourceText) {
        (self.parameter, self.input, self.source, self.reads, self.text) = (
            parameter, input, source, reads, text
        )
    }
}
