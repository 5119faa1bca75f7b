import Diagnostics
import Expressions
import Records

/// Evaluates a text as an expression over fixed records, as a condition, as something to store, and without types.
enum ExpressionInput {
    private static let mode = ValueType.enumeration(EnumerationType(members: ["idle", "busy", "done"]))
    private static let point = RecordType([("x", .double), ("y", .double)])
    private static let state = record(
        [
            ("a", .integer(.i64), .int(-7)), ("b", .integer(.i64), .int(.max)), ("off", .bool, .bool(false)),
            ("on", .bool, .bool(true)), ("small", .integer(.i8), .int(-128)),
            ("big", .integer(.u64), .uint(.max)), ("load", .double, .double(0.1)),
            ("ratio", .float, .double(-1e30)), ("name", .string, .string("日本 abc")),
            ("title", .string, .string("")), ("raw", .bytes, .bytes([0, 255, 97])),
            ("wait", .duration, .duration(nanoseconds: 1_500_000_000)),
            ("since", .timestamp, .timestamp(Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000))),
            ("mode", mode, .string("busy")), ("pos", .record(point), nil),
            ("items", .list(.integer(.i32)), .list([.int(1), .int(-1), .int(3)])),
            ("names", .list(.string), .list([.string("a"), .string("ü")])),
            ("points", .list(.record(point)), nil), ("array", .array(.double, count: 3), nil),
            ("maybe", .optional(.integer(.i64)), nil), ("nick", .optional(.string), .string("n")),
            ("place", .optional(.record(point)), nil), ("handle", .pointer, nil),
        ])
    private static let event = record([
        ("by", .integer(.i32), .int(3)), ("text", .string, .string("12")), ("d", .double, .double(.nan)),
    ])
    private static let scope = Scope([
        Scope.Variable(name: "state", type: .record(state.type), slot: 0),
        Scope.Variable(name: "event", type: .record(event.type), slot: 1),
    ])
    private static let untyped: (scope: Scope, values: [Value]) = {
        let values: [(name: String, value: Value)] = [
            ("x", .int(5)), ("y", .string("abc")), ("z", .null), ("list", .list([.int(1), .double(0.5)])),
            ("state", state.value), ("event", event.value), ("request.user", .string("me")),
        ]
        return (Scope(untyped: values.map(\.name)), values.map(\.value))
    }()
    private static let targets: [ValueType] = [
        .integer(.i8), .integer(.u64), .float, .string, .optional(.double), mode, .record(point),
        .list(.integer(.i32)), .array(.double, count: 3), .duration, .bytes,
    ]

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(TextFault) {
            try evaluate(try Expression(text, in: scope), text)
        } catch { show(error, in: text) }
        do throws(TextFault) {
            let expression = try Expression(text, in: untyped.scope)
            do throws(EvaluationFault) { _ = try expression.evaluate(with: untyped.values).json } catch {
                show(error.textFault, in: text)
            }
        } catch { show(error, in: text) }
    }

    private static func evaluate(_ expression: Expression, _ text: String) throws(TextFault) {
        do throws(EvaluationFault) {
            let value = try expression.evaluate(with: [0: state, 1: event])
            if let constant = expression.constant {
                precondition(constant.json == value.json, "a constant is its value")
            }
        } catch { show(error.textFault, in: text) }
        // Safe because the records are global, and each store writes into a record of its own.
        unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 2) { slots in
            unsafe slots.initializeElement(at: 0, to: state.unsafeBase)
            unsafe slots.initializeElement(at: 1, to: event.unsafeBase)
            let frame = unsafe Frame(UnsafePointer(slots.baseAddress!))
            do throws(TextFault) {
                let predicate = try expression.predicate()
                do throws(EvaluationFault) { _ = try predicate.evaluate(frame) } catch {
                    show(error.textFault, in: text)
                }
            } catch { show(error, in: text) }
            for type in targets {
                var stored = Record(RecordType([("value", type)]))
                do throws(TextFault) {
                    let store = try expression.store(as: type)
                    do throws(EvaluationFault) {
                        unsafe try store.evaluate(frame, into: stored.unsafeMutableBase())
                    } catch {
                        show(error.textFault, in: text)
                    }
                } catch { show(error, in: text) }
                _ = stored.value.json
            }
        }
    }

    private static func show(_ fault: TextFault, in text: String) {
        precondition(
            fault.range.lowerBound >= 0 && fault.range.upperBound <= text.utf8.count, "every place exists")
        precondition(!fault.message.isEmpty, "every fault says something")
    }

    private static func record(_ fields: [(name: String, type: ValueType, value: Value?)]) -> Record {
        var record = Record(RecordType(fields.map { (name: $0.name, type: $0.type) }))
        for field in fields {
            guard let value = field.value else { continue }
            do { try record.set(field.name, to: value) } catch { fatalError("`\(field.name)`: \(error)") }
        }
        return record
    }
}
