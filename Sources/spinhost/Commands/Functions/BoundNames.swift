import Expressions
import Records

/// The names and values for an expression on the command line, from JSON.
struct BoundNames {
    /// The names. Their types are known only when the expression is evaluated.
    let scope: Scope
    /// Their values, in the order of the names.
    let values: [Value]

    /// Reads names and values from a JSON object.
    ///
    /// - Parameter isTyped: whether each value gives its type (`TypedValue`). Otherwise whole numbers are
    ///   int, or uint if they need it, other numbers are double, and objects are maps.
    /// - Throws: `RecordError` if the JSON is not an object.
    init(_ json: Value, isTyped: Bool) throws(RecordError) {
        guard case .map(let entries) = json else {
            throw RecordError(.wrongType, "expected a JSON object, such as `{\"n\": 1}`")
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
