import Records

/// Writes JSON for people: one entry per line, indented by two spaces for each level.
enum IndentedJSON {
    /// The text, without a newline at its end.
    static func text(of value: Value) -> String {
        var text = ""
        write(value, to: &text, indent: "\n")
        return text
    }

    private static func write(_ value: Value, to text: inout String, indent: String) {
        let inner = indent + "  "
        switch value {
        case .list(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "[" : ",") + inner
                write(element, to: &text, indent: inner)
            }
            text += indent + "]"
        case .map(let entries) where !entries.isEmpty:
            for (index, entry) in entries.enumerated() {
                text += (index == 0 ? "{" : ",") + inner + entry.key.json + ": "
                write(entry.value, to: &text, indent: inner)
            }
            text += indent + "}"
        default: text += value.json
        }
    }
}
