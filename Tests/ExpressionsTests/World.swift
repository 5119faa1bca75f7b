import Diagnostics
import Expressions
import Records
import Testing

/// Two records and their scope, for tests: `state` in slot 0, `event` in slot 1, `now` in slot 5.
struct World {
    static let mode = ValueType.enumeration(EnumerationType(members: ["idle", "busy", "done"]))
    static let point = RecordType([("x", .double), ("y", .double)])
    static let stateType = RecordType([
        ("a", .integer(.i64)), ("b", .integer(.i64)), ("c", .integer(.i64)), ("off", .bool), ("on", .bool),
        ("small", .integer(.i8)), ("word", .integer(.u16)), ("big", .integer(.u64)), ("load", .double),
        ("ratio", .float), ("name", .string), ("title", .string), ("raw", .bytes), ("wait", .duration),
        ("since", .timestamp), ("mode", mode), ("other", mode), ("pos", .record(point)),
        ("items", .list(.integer(.i32))), ("names", .list(.string)), ("points", .list(.record(point))),
        ("array", .array(.double, count: 3)), ("maybe", .optional(.integer(.i64))),
        ("nick", .optional(.string)), ("place", .optional(.record(point))), ("handle", .pointer),
        ("modes", .list(mode)), ("mood", .optional(mode)),
    ])
    static let eventType = RecordType([
        ("b", .integer(.i64)), ("to", .integer(.i32)), ("text", .string), ("d", .double),
    ])

    var state = Record(stateType)
    var event = Record(eventType)
    var now: Int64 = 1_000_000_000

    static let scope = Scope([
        Scope.Variable(name: "state", type: .record(stateType), slot: 0),
        Scope.Variable(name: "event", type: .record(eventType), slot: 1),
        Scope.Variable(name: "result", type: .integer(.i32), slot: 1, offset: eventType.field("to")!.offset),
        Scope.Variable(name: "now", type: .timestamp, slot: 5),
    ])

    /// Calls `body` with a frame over the records.
    func withFrame<Result>(_ body: (Frame) throws -> Result) rethrows -> Result {
        // Safe because records and instant outlive the call.
        try unsafe withUnsafePointer(to: now) { now in
            let slots: [UnsafeRawPointer?] = unsafe [
                state.unsafeBase, event.unsafeBase, nil, nil, nil, UnsafeRawPointer(now),
            ]
            return try unsafe slots.withUnsafeBufferPointer { slots in
                try unsafe body(Frame(slots.baseAddress!))
            }
        }
    }

    mutating func set(_ name: String, _ value: Value) throws { try state.set(name, to: value) }

    func evaluate(_ text: String) throws -> Value {
        let expression = try Expression(text, in: World.scope)
        return try withFrame { frame in try expression.evaluate(frame) }
    }
}

/// The value as text that names its type where JSON does not: `int 5`, `"text"`, or the fault.
func outcome(_ text: String, _ world: World = World()) -> String {
    do {
        return described(try world.evaluate(text))
    } catch let fault as TextFault {
        return "load: \(fault.message)"
    } catch let fault as EvaluationFault {
        return "fault: \(fault.message)"
    } catch {
        return "\(error)"
    }
}

func described(_ value: Value) -> String {
    switch value {
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)u"
    case .double(let value): value.isNaN ? "nan" : "\(value)"
    case .bytes(let bytes): "b\(bytes)"
    case .duration: "duration \(value.json)"
    case .timestamp: "timestamp \(value.json)"
    case .list(let values): "[\(values.map(described).joined(separator: ", "))]"
    case .map(let entries):
        "{\(entries.map { "\(described($0.key)): \(described($0.value))" }.joined(separator: ", "))}"
    case .pointer(let address): "pointer \(address)"
    case .optional(let content): content.map { "optional(\(described($0)))" } ?? "none"
    default: value.json
    }
}

/// The value after storing an expression as `type` over a zero value, or the fault, and then what was
/// left.
func stored(_ text: String, as type: ValueType, _ world: World = World()) -> String {
    var record = Record(RecordType([("target", type)]))
    do {
        let store = try Expression(text, in: World.scope).store(as: type)
        try world.withFrame { frame in try unsafe store.evaluate(frame, into: record.unsafeMutableBase())
        }
        return described(record["target"]!)
    } catch let fault as TextFault {
        return "load: \(rendered(fault))"
    } catch let fault as EvaluationFault {
        #expect(record == Record(RecordType([("target", type)])), "a fault leaves the memory unchanged")
        return "fault: \(fault.code.rawValue) \(fault.range): \(fault.message)"
    } catch {
        return "\(error)"
    }
}

/// A fault as one text: code, range, message, label and help.
func fault(_ text: String, _ world: World = World()) -> String {
    do {
        _ = try world.evaluate(text)
        return "none"
    } catch let fault as TextFault {
        return rendered(fault)
    } catch let fault as EvaluationFault {
        return
            "\(fault.code.rawValue) \(fault.range.lowerBound)..<\(fault.range.upperBound): \(fault.message)"
    } catch {
        return "\(error)"
    }
}

func rendered(_ fault: TextFault) -> String {
    "\(fault.code.rawValue) \(fault.range.lowerBound)..<\(fault.range.upperBound): \(fault.message)"
        + (fault.label.isEmpty ? "" : " | \(fault.label)") + fault.help.map { " = \($0)" }.joined()
}
