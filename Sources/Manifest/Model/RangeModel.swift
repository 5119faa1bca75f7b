public import Records

/// The least and greatest value of a field of the state: `range`. A step that would leave it fails.
public struct RangeModel: Sendable {
    /// What the values lie between, both ends included.
    public enum Bounds: Hashable, Sendable {
        /// For integers, and for durations in nanoseconds.
        case signed(ClosedRange<Int64>)
        /// For `u64`.
        case unsigned(ClosedRange<UInt64>)
        /// For `f32` and `f64`; NaN lies outside.
        case double(ClosedRange<Double>)
    }

    /// The field.
    public let field: RecordType.Field
    /// The case that has it, as an index into the cases of `LoopModel.stateType`; nil for a field of every state.
    public let stateCase: Int?
    /// What its values lie between; null of an optional field lies inside.
    public let bounds: Bounds

    /// The bounds of a field.
    public init(field: RecordType.Field, stateCase: Int?, bounds: Bounds) {
        (self.field, self.stateCase, self.bounds) = (field, stateCase, bounds)
    }
}
