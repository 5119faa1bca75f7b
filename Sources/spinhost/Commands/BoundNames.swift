import Expressions
import Records

/// Names with values from JSON, as an expression on the command line sees them.
struct BoundNames {
    /// The names and their types: whole numbers are int (uint when they need to be), objects are records.
    let scope: Scope
    private let values: Record

    /// - Throws: `RecordError` when the text is no JSON object, or a value has no type of its own: a list of mixed
    ///   values, or null.
    init(json: String) throws(RecordError) {
        let value = try Value(json: json)
        guard case .record(let type) = try Self.type(of: value) else {
            throw RecordError(.wrongType, "a JSON object is expected, such as `{\"n\": 1}`")
        }
        values = try Record(type, json: json)
        scope = Scope(
            type.fields.map { Scope.Variable(name: $0.name, type: $0.type, slot: 0, offset: $0.offset) })
    }

    /// Calls `body` with a frame in which the names have their values.
    func withFrame<Result, Failure: Error>(_ body: (Frame) throws(Failure) -> Result) throws(Failure) -> Result {
        // Safe because the record outlives the call.
        try withExtendedLifetime(values) { () throws(Failure) in
            var base: UnsafeRawPointer? = unsafe values.unsafeBase
            return unsafe try withUnsafePointer(to: &base) { slots throws(Failure) in try body(unsafe Frame(slots)) }
        }
    }

    private static func type(of value: Value) throws(RecordError) -> ValueType {
        switch value {
        case .bool: return .bool
        case .int: return .integer(.i64)
        case .uint: return .integer(.u64)
        case .double: return .double
        case .string: return .string
        case .list(let values):
            guard let first = values.first else { return .list(.string) }
            let element = try type(of: first)
            for (index, value) in values.enumerated() where try type(of: value) != element {
                throw RecordError(.wrongType, "the list's elements are not of one type", path: ["[\(index)]"])
            }
            return .list(element)
        case .map(let entries):
            var fields: [(name: String, type: ValueType)] = []
            for entry in entries {
                guard case .string(let name) = entry.key else { continue }
                do { fields.append((name, try type(of: entry.value))) } catch { throw error.inside(name) }
            }
            return .record(RecordType(fields))
        default: throw RecordError(.wrongType, "\(value.kind) has no type here")
        }
    }
}
