/// `@Emitter func NAME(_ call: Call, FIELD: TYPE …) -> Status`.
struct EmitterMacro {
    private let function: Function
    private let name: String
    private var layout = Layout()
    private var fields: ArraySlice<Function.Parameter> { function.parameters.dropFirst() }

    init(_ declaration: String, name: String?) throws(Fault) {
        function = try Function(declaration)
        self.name = name ?? function.name.text
        guard function.parameters.first?.typeText == "Call", function.result == "Status", !function.isAsync,
            !function.throwsErrors
        else {
            throw Fault(
                "an emitter takes a `Call` first and returns a `Status`: `func \(function.name.text)(_ call: Call, "
                    + "text: String) -> Status`", at: function.name)
        }
        for field in fields {
            guard field.typeText != "[String]" else { throw Fault("no event has `[String]`", at: field.type) }
            layout.add(try CType(field.typeText, at: field.type), field.plainName)
        }
    }

    private var record: String { "spin_\(function.name.text)" }

    /// The description, and the function that waits.
    var source: String {
        let parameters = function.parameters.map { parameter in
            let name = parameter.label == parameter.name ? "" : "\(parameter.name)"
            return "\(parameter.label) \(name): \(parameter.typeText)"
        }
        let modifiers = function.modifiers.map { "\($0) " }.joined()
        let prototype = "void \(name)(\(layout.parameters.isEmpty ? "void" : layout.parameters))"
        return Record(
            name: record, kind: 3,
            members: Array(repeating: Record.pointer, count: 3) + [("UInt64", "\(layout.size)")],
            texts: [name, prototype, ""], size: 40
        ).source + """
            /// Emits, and waits while the loop's mailbox is full: at most so long, or for ever without a
            /// limit.
            \(modifiers)func \(function.name.text)(\(parameters.joined(separator: ", ")), waiting spin_limit: Duration?) \
            -> Status \(emission("spin_limit"))

            """
    }

    /// The body of the function, which never waits.
    var body: String { emission(nil) }

    private func emission(_ limit: String?) -> String {
        let call = function.parameters[0].name
        let values = fields.indices.map { "spin_\($0)" }
        let payload = values.isEmpty ? "()" : "(\(values.joined(separator: ", ")))"
        let emission =
            "SpinPlugin.Bridge.emit(\(call), &\(record), \(payload)\(limit.map { ", waiting: \($0)" } ?? ""))"
        let nested = zip(fields, values).reversed().reduce(emission) { inner, field in
            "\(field.0.name).given { \(field.1) in \(inner) }"
        }
        return "{ \(nested) }"
    }
}
