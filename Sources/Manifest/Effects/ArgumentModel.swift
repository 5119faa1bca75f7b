public import Diagnostics
public import Expressions

/// An input argument of a feedback's effect.
public struct ArgumentModel: Sendable {
    /// The source of its value.
    public enum Source: Sendable {
        /// A field of the state, the event or `config` with the parameter's type. The host compares and
        /// copies it in place, without an expression.
        case field(FieldReference)
        /// An expression. Its value is stored in the field `input` of `CallSignature.inputs`.
        case store(Store)
    }

    /// The parameter's index in `CallSignature.parameters`.
    public let parameter: Int
    /// The argument's field, as an index into `CallSignature.inputs`.
    public let input: Int
    /// The source of its value.
    public let source: Source
    /// What it reads of the frame (`FrameSlot`); empty for a constant.
    public let reads: FrameReads
    /// The expression in its file. `EvaluationFault.range` is a range of this text.
    public let text: SourceText

    /// An argument for one parameter.
    public init(parameter: Int, input: Int, source: Source, reads: FrameReads, text: SourceText) {
        (self.parameter, self.input, self.source, self.reads, self.text) = (
            parameter, input, source, reads, text
        )
    }
}
