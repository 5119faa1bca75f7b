import Records

extension Value {
    /// An object without the fields whose values are nil.
    static func object(_ fields: [(String, Value?)]) -> Value {
        .record(fields.compactMap { name, value in value.map { (name, $0) } })
    }

    static func number(_ number: Int) -> Value { .int(Int64(number)) }

    /// The text of a string; nil for another value.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number; nil for another value, and for a number without use here.
    var number: Int? { if case .int(let number) = self { Int(exactly: number) } else { nil } }

    var isTrue: Bool { self == .bool(true) }

    /// The elements of a list; empty for another value.
    var elements: [Value] { if case .list(let elements) = self { elements } else { [] } }

    /// The value at a path of keys; nil if a key is missing.
    subscript(path keys: String...) -> Value? {
        var value: Value? = self
        for key in keys { value = value?[key] }
        return value
    }

    // MARK: Messages

    static func response(_ id: Value, _ result: Value) -> Value {
        .record([("jsonrpc", .string("2.0")), ("id", id), ("result", result)])
    }

    static func response(_ id: Value, _ fault: ResponseFault) -> Value {
        let error = Value.record([("code", .int(fault.code.rawValue)), ("message", .string(fault.message))])
        return .record([("jsonrpc", .string("2.0")), ("id", id), ("error", error)])
    }

    static func request(_ id: String, _ method: String, _ parameters: Value) -> Value {
        .record([
            ("jsonrpc", .string("2.0")), ("id", .string(id)), ("method", .string(method)),
            ("params", parameters),
        ])
    }

    static func notification(_ method: String, _ parameters: Value) -> Value {
        .record([("jsonrpc", .string("2.0")), ("method", .string(method)), ("params", parameters)])
    }
}
