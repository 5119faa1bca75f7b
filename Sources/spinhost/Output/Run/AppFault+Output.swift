import App
import Diagnostics
import Manifest
import Records

extension AppFault {
    /// The fault as a record for programs.
    var json: Value {
        .record(
            [("loop", .string(loop))] + (key.map { [("key", $0.value)] } ?? []) + [
                ("step", .int(Int64(step))), ("origin", .string(part)),
                ("fault", diagnostic.json),
            ])
    }

    /// The diagnostic with a note that names the loop, the step and the part of the app.
    var placed: Diagnostic {
        Diagnostic(
            diagnostic.severity, diagnostic.code, diagnostic.message, at: diagnostic.place?.span,
            label: diagnostic.place?.text ?? "", related: diagnostic.related,
            notes: ["in loop `\(AppStep.place(loop, key))`, step \(step), \(part)"] + diagnostic.notes,
            help: diagnostic.help)
    }
}
