import Expressions
import Records

/// Names with values from JSON, as an expression on the command line sees them.
struct BoundNames {
    /// The names; their values have the types that they turn out to have.
    let scope: Scope
    /// Their values, in the order of the names.
    let values: [Value]

    /// - Parameter isTyped: whether each value says its type (`TypedValue`). Without, whole numbers are int (uint when
    ///   they need to be), other numbers double, and objects maps.
    /// - Throws: `RecordError` when this is no JSON object.
    init(_ json: Value, isTyped: Bool) throws(RecordError) {
        guard case .map(let entries) = json else {
            throw RecordError(.wrongType, "a JSON object is expected, such as `{\"n\": 1}`")
        }
        var names: [String] = []
        var values: [Value] = []
        for entry in entries {
            guard case .string(let name) = entry.key else { continue }
            names.append(name)
            do { values.append(isTyped ? try TypedValue.value(of: entry.value) : entry.value) } catch {
                throw error.inside(name)
            }
        }
        (scope, self.values) = (Scope(untyped: names), values)
    }
}
