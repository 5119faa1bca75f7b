import Diagnostics

/// Gathers the diagnostics of a manifest while it is checked.
final class DiagnosticCollector {
    /// At most so many diagnostics are kept, so that a file of random bytes costs no more than a long
    /// manifest.
    static let limit = 200

    private(set) var diagnostics: [Diagnostic] = []
    /// The number of errors.
    private(set) var errorCount = 0

    var hasErrors: Bool { errorCount > 0 }

    /// True once the collector drops further diagnostics, so that callers need not look for more.
    var isFull: Bool { diagnostics.count > Self.limit }

    func add(_ diagnostic: Diagnostic) {
        if diagnostic.severity == .error { errorCount += 1 }
        if diagnostics.count < Self.limit {
            diagnostics.append(diagnostic)
        } else if diagnostics.count == Self.limit {
            diagnostics.append(
                Diagnostic(
                    .error, ManifestCode.tooManyFaults.code,
                    "there are more than \(Self.limit) faults; the others are not shown"))
            errorCount += 1
        }
    }

    /// Adds an error. Its texts are computed only if it is shown.
    func error(
        _ code: ManifestCode, _ message: @autoclosure () -> String, at span: @autoclosure () -> SourceSpan?,
        label: @autoclosure () -> String = "", related: @autoclosure () -> [Diagnostic.Label] = [],
        help: @autoclosure () -> [String?] = []
    ) {
        guard !isFull else {
            errorCount += 1
            return
        }
        add(
            Diagnostic(
                .error, code.code, message(), at: span(), label: label(), related: related(),
                help: help().compactMap { $0 }))
    }

    /// Adds a warning. Its texts are computed only if it is shown.
    func warning(
        _ code: ManifestCode, _ message: @autoclosure () -> String, at span: @autoclosure () -> SourceSpan?,
        help: @autoclosure () -> [String?] = []
    ) {
        guard !isFull else { return }
        add(Diagnostic(.warning, code.code, message(), at: span(), help: help().compactMap { $0 }))
    }
}

extension Sequence<String> {
    /// The names in backticks, with commas: `` `a`, `b` ``. Shows the first 20 names.
    var quoted: String {
        let names = Array(prefix(21))
        return names.prefix(20).map { "`\($0)`" }.joined(separator: ", ") + (names.count > 20 ? " …" : "")
    }

    /// `` did you mean `NAME`? `` for the most similar name; nil if no name is similar. It compares all
    /// names, so call it in the arguments of `error`, which computes them only if they are shown.
    func suggestion(for name: String) -> String? {
        Suggestion.closest(to: name, among: self).map { "did you mean `\($0)`?" }
    }
}
