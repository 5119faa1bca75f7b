import Diagnostics

/// Gathers what is wrong while a manifest is checked.
final class DiagnosticCollector {
    /// More faults than these are counted no further, so that a file full of noise costs no more than a long one.
    static let limit = 200

    private(set) var diagnostics: [Diagnostic] = []
    /// How many errors there were.
    private(set) var errorCount = 0

    var hasErrors: Bool { errorCount > 0 }

    /// True when nothing more is shown, so that nothing more needs to be found.
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

    /// Adds an error; what it says is computed only if it is shown.
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

    /// Adds a warning; what it says is computed only if it is shown.
    func warning(
        _ code: ManifestCode, _ message: @autoclosure () -> String, at span: @autoclosure () -> SourceSpan?,
        help: @autoclosure () -> [String?] = []
    ) {
        guard !isFull else { return }
        add(Diagnostic(.warning, code.code, message(), at: span(), help: help().compactMap { $0 }))
    }
}

extension Sequence<String> {
    /// The names in backticks, with commas: `` `a`, `b` ``; of many the first.
    var quoted: String {
        let names = Array(prefix(21))
        return names.prefix(20).map { "`\($0)`" }.joined(separator: ", ") + (names.count > 20 ? " …" : "")
    }

    /// `` did you mean `NAME`? `` for the nearest of these names, if one is near. Looks at many names, so it is asked for
    /// in the arguments of `error`, which computes them only if they are shown.
    func suggestion(for name: String) -> String? {
        Suggestion.closest(to: name, among: self).map { "did you mean `\($0)`?" }
    }
}
