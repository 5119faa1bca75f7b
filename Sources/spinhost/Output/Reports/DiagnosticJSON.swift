import Diagnostics
import Records

extension Diagnostic {
    /// The diagnostic as a record for programs: severity, code, message, span, related spans, notes, help.
    var json: Value {
        var fields: [(String, Value)] = [
            ("severity", .string(severity.rawValue)), ("code", .string(code.rawValue)),
            ("message", .string(message)),
        ]
        if let place { fields += place.fields }
        if !related.isEmpty { fields.append(("related", .list(related.map { .record($0.fields) }))) }
        if !notes.isEmpty { fields.append(("notes", .list(notes.map(Value.string)))) }
        if !help.isEmpty { fields.append(("help", .list(help.map(Value.string)))) }
        return .record(fields)
    }
}

extension Diagnostic.Label {
    /// The path, the first and the last position (the last exclusive; lines and columns from 1), and the
    /// label if there is one.
    fileprivate var fields: [(String, Value)] {
        func number(_ number: Int) -> Value { .int(Int64(number)) }
        return [
            ("path", .string(span.file.name)), ("line", number(span.start.line)),
            ("column", number(span.start.column)), ("endLine", number(span.end.line)),
            ("endColumn", number(span.end.column)),
        ] + (text.isEmpty ? [] : [("label", .string(text))])
    }
}
