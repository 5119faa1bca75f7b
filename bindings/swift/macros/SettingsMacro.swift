/// `@Settings struct …`.
struct SettingsMacro {
    private let settings: Structure
    private var layout = Layout()

    init(_ declaration: String) throws(Fault) {
        settings = try Structure(declaration)
        guard settings.kind == "struct", !settings.fields.isEmpty else {
            throw Fault("`@Settings` is for a struct with variables")
        }
        for field in settings.fields {
            layout.add(try CType(field.typeText, at: field.type), field.name.text)
        }
    }

    var source: String {
        get throws(Fault) {
            var texts = ["void spin_config(\(layout.parameters))"]
            for field in settings.fields {
                texts.append(field.value.isEmpty ? "SPIN_REQUIRED" : try literal(field.value))
                if field.limits.isEmpty {
                    texts += ["", ""]
                } else {
                    for end in try limits(field.limits) { texts.append(try literal(end)) }
                }
                texts.append(field.doc)
            }
            return Record(
                name: "spin_settings_\(settings.name.text)", kind: 7, members: [("UInt64", "\(layout.size)")],
                texts: texts, size: 16
            ).source
        }
    }

    /// `init` from the struct of C.
    var initializer: String {
        let access = settings.modifiers.contains("public") ? "public " : ""
        let fields = zip(settings.fields, layout.offsets).map { field, offset in
            "    \(field.name.text) = SpinPlugin.Bridge.setting(spin_settings, at: \(offset))\n"
        }
        return "\(access)init(spin_settings: UnsafeRawPointer) {\n\(fields.joined())}"
    }

    /// Both ends of a range, which has three dots between them.
    private func limits(_ tokens: [Token]) throws(Fault) -> [[Token]] {
        for index in tokens.indices.dropFirst().dropLast(3)
        where tokens[index..<index + 3].allSatisfy({ $0.text == "." }) {
            return [Array(tokens[..<index]), Array(tokens[(index + 3)...])]
        }
        throw Fault("write `@Limits(1...100)`", at: tokens.first)
    }

    /// A value of Swift as C text.
    private func literal(_ tokens: [Token]) throws(Fault) -> String {
        let text = tokens.text
        let isPlainText = text.hasPrefix("\"") && tokens.count == 1 && !text.contains("\\(")
        if isPlainText || text == "true" || text == "false" { return text }
        if text == "[]" { return "{}" }
        if text == ".zero" { return "\"0s\"" }
        let units = [".seconds(": "s", ".milliseconds(": "ms", ".microseconds(": "us", ".nanoseconds(": "ns"]
        for (function, unit) in units where text.hasPrefix(function) && text.hasSuffix(")") {
            return "\"\(number(text.dropFirst(function.count).dropLast()))\(unit)\""
        }
        let number = number(text[...])
        guard Double(number) != nil else {
            throw Fault("a literal is expected in place of `\(text)`", at: tokens.first)
        }
        return number
    }

    private func number(_ text: Substring) -> String { text.filter { $0 != "_" } }
}
