import Records
import TestSupport

/// A random app, as a manifest: loops whose events carry values of many types into their states, and a gear that passes
/// on some of them.
struct RandomApp {
    let manifest: String

    /// A field with its type as a manifest has it.
    private struct Field {
        let name: String
        let type: String
        /// Whether `state.FIELD + event.FIELD` has the type of the field.
        let isSum: Bool

        var declaration: String { "\(name) = { type = \(type) }" }
    }

    init(using generator: inout SeededGenerator) {
        let message = Self.field("v", &generator)
        let loops = (0...generator.below(3)).map { Self.loop("loop\($0)", message.type, &generator) }
        manifest =
            "[gears.mail]\nmessages = { note = { v = \(message.type) } }\n" + loops.joined(separator: "\n")
    }

    private static func loop(
        _ name: String, _ message: String, _ generator: inout SeededGenerator
    ) -> String {
        let heard = Field(name: "heard", type: message, isSum: false)
        let shared = [heard] + fields("f", 1 + generator.below(4), &generator)
        var events = ["note", "heard", "odd"].map { "\($0) = { v = \(message) }" }
        var handlers = [
            #"note  = { set = { heard = "event.v" } }"#, #"heard = { set = { heard = "event.v" } }"#,
            #"odd   = { if = "false" }"#,
        ]
        func add(_ event: String, _ fields: [Field], _ more: String, sums: Bool) {
            events.append(
                "\(event) = { \(fields.map { "\($0.name) = \($0.type)" }.joined(separator: ", ")) }")
            let set = fields.map { field in
                "\(field.name) = \"\(sums && field.isSum ? "state.\(field.name) + " : "")event.\(field.name)\""
            }
            handlers.append("\(event) = { \(more)set = { \(set.joined(separator: ", ")) } }")
        }
        add("set", some(of: shared, &generator), "", sums: false)
        add("grow", some(of: shared, &generator), "", sums: true)
        var state = "state = { \(shared.map(\.declaration).joined(separator: ", ")) }"
        if generator.chance(2) {
            let cases = (0...generator.below(3)).map { fields("c\($0)f", generator.below(4), &generator) }
            for (index, own) in cases.enumerated() {
                add(
                    "enter\(index)", some(of: shared, &generator) + own, "to = \"c\(index)\", ", sums: false)
                if !own.isEmpty { add("grow\(index)", own, "from = \"c\(index)\", ", sums: true) }
            }
            let states = cases.enumerated().map { index, own in
                "c\(index) = { \(own.map(\.declaration).joined(separator: ", ")) }"
            }
            state = """
                initial = "c0"
                shared  = { \(shared.map(\.declaration).joined(separator: ", ")) }
                states  = { \(states.joined(separator: ", ")) }
                """
        }
        let receive =
            generator.chance(3) ? "" : #"receive = { mail.note = { event = "heard", v = "message.v" } }"#
        return """
            [loops.\(name)]
            \(state)
            events = { \(events.joined(separator: ", ")) }
            \(receive)
            [loops.\(name).on]
            \(handlers.joined(separator: "\n"))
            [loops.\(name).feedback]
            tell = { on = "note", send = { gear = "mail", message = "note", v = "event.v" } }

            """
    }

    private static func some(of fields: [Field], _ generator: inout SeededGenerator) -> [Field] {
        fields.filter { _ in !generator.chance(3) }
    }

    private static func fields(
        _ prefix: String, _ count: Int, _ generator: inout SeededGenerator
    ) -> [Field] {
        (0..<count).map { field("\(prefix)\($0)", &generator) }
    }

    private static func field(_ name: String, _ generator: inout SeededGenerator) -> Field {
        while true {
            let type = generator.valueType(depth: 3)
            guard let text = text(of: type) else { continue }
            let isSum =
                switch type {
                case .string, .bytes, .list, .integer(.i64), .integer(.u64), .double, .duration: true
                default: false
                }
            return Field(name: name, type: text, isSum: isSum)
        }
    }

    /// A type as a manifest has it; nil for one that a manifest cannot have.
    private static func text(of type: ValueType) -> String? {
        switch type {
        case .record(let record):
            let fields = record.fields.compactMap { field in
                text(of: field.type).map { "\(field.name) = \($0)" }
            }
            guard !fields.isEmpty, fields.count == record.fields.count else { return nil }
            return "{ \(fields.joined(separator: ", ")) }"
        case .list(let element):
            guard let text = text(of: element) else { return nil }
            return text.hasPrefix("\"") ? "\"[\(element.name)]\"" : "[\(text)]"
        case .optional(let wrapped):
            guard let text = text(of: wrapped), text.hasPrefix("\""), !wrapped.name.hasSuffix("?") else {
                return nil
            }
            return "\"\(type.name)\""
        default: return "\"\(type.name)\""
        }
    }
}
