public import Records

/// The least and greatest value of a field of the state: `range`. A step fails if it sets a value outside the
/// range.
public struct RangeModel: Sendable {
    /// The field.
    public let field: RecordType.Field
    /// The case of the field, as an index into the cases of `LoopModel.stateType`; nil for a field that all
    /// cases have.
    public let stateCase: Int?
    /// The least value. It has the kind of the field's values: int, uint, double or duration.
    public let lower: Value
    /// The greatest value, of the same kind.
    public let upper: Value

    /// The range of a field.
    public init(field: RecordType.Field, stateCase: Int?, lower: Value, upper: Value) {
        (self.field, self.stateCase, self.lower, self.upper) = (field, stateCase, lower, upper)
    }

    /// Whether a value of the field is within the range. NaN is not; null of an optional field is.
    public func contains(_ value: Value) -> Bool {
        switch (lower, value, upper) {
        case (.int(let lower), .int(let value), .int(let upper)): lower <= value && value <= upper
        case (.uint(let lower), .uint(let value), .uint(let upper)): lower <= value && value <= upper
        case (.double(let lower), .double(let value), .double(let upper)): lower <= value && value <= upper
        case (.duration(let lower), .duration(let value), .duration(let upper)):
            lower <= value && value <= upper
        case (_, .null, _): true
        default: false
        }
    }

    /// The range in words, for messages: `0 to 100`.
    public var text: String { "\(Self.text(of: lower)) to \(Self.text(of: upper))" }

    /// A value of a field with a range, for messages: `100`, `1.5s`.
    public static func text(of value: Value) -> String { value.json.filter { $0 != "\"" } }
}
