/// Renders diagnostics as text for people, in the form of rustc: message, position, the line, carets, help.
public struct DiagnosticRenderer: Sendable {
    /// Whether to colour the output with ANSI escapes. The text has the same content without colour.
    public let color: Bool

    /// A renderer; without colour by default.
    public init(color: Bool = false) { self.color = color }

    /// The text of one diagnostic, with a newline at its end.
    public func render(_ diagnostic: Diagnostic) -> String {
        let (red, yellow) = ("31", "33")
        let tint = diagnostic.severity == .error ? red : yellow
        let name = paint("\(diagnostic.severity.rawValue)[\(diagnostic.code.rawValue)]", "1;\(tint)")
        var text = "\(name)\(paint(": \(Self.printable(diagnostic.message))", "1"))\n"
        let labels =
            (diagnostic.place.map { [(label: $0, mark: Character("^"))] } ?? [])
            + diagnostic.related.map { (label: $0, mark: Character("-")) }
        let last = labels.map(\.label.span.start.line).max() ?? 1
        let gutter = String(repeating: " ", count: String(last).count)
        var shown: (file: SourceFile, line: Int)?
        // The main span comes first. The related spans follow, each with its line.
        for (label, mark) in labels {
            let span = label.span
            if shown?.file !== span.file {
                let arrow = shown == nil ? "-->" : ":::"
                text +=
                    "\(gutter)\(paint(arrow, "1;34")) \(span.file.name):\(span.start.line):\(span.start.column)\n"
                text += "\(gutter) \(paint("|", "1;34"))\n"
            } else {
                text += paint("...", "1;34") + "\n"
            }
            let number =
                String(repeating: " ", count: gutter.count - String(span.start.line).count)
                + String(span.start.line)
            let excerpt = LineExcerpt(span)
            let marks = String(repeating: mark, count: excerpt.marked)
            let bar = paint("|", "1;34")
            text += "\(paint(number, "1;34")) \(bar)\(excerpt.line.isEmpty ? "" : " " + excerpt.line)\n"
            let words = label.text.isEmpty ? "" : " " + Self.printable(label.text)
            let padding = String(repeating: " ", count: excerpt.before)
            let style = mark == "^" ? "1;\(tint)" : "1;34"
            text += "\(gutter) \(bar) \(padding)\(paint(marks + words, style))\n"
            shown = (span.file, span.start.line)
        }
        for note in diagnostic.notes {
            text += "\(gutter) = \(paint("note", "1")): \(Self.printable(note))\n"
        }
        for help in diagnostic.help { text += "\(gutter) = \(paint("help", "1")): \(Self.printable(help))\n" }
        return text
    }

    /// The text of all diagnostics: errors and warnings together in the order of files and positions, each with a blank
    /// line after it, then their number in the file `name` and those that belong to it. Empty if there are none.
    public func render(_ diagnostics: [Diagnostic], in name: String) -> String {
        guard !diagnostics.isEmpty else { return "" }
        var text = ""
        for diagnostic in Self.sorted(diagnostics) { text += render(diagnostic) + "\n" }
        let hasOthers = diagnostics.contains { ($0.place?.span.file.order ?? 0) > 0 }
        let rest = hasOthers ? " and the files that it includes" : ""
        for (severity, word) in [(Diagnostic.Severity.error, "fault"), (.warning, "warning")] {
            let count = diagnostics.count { $0.severity == severity }
            guard count > 0 else { continue }
            let tint = severity == .error ? "1;31" : "1;33"
            text +=
                "\(paint(severity.rawValue, tint)): \(count) \(word)\(count == 1 ? "" : "s") in \(name)\(rest)\n"
        }
        return text
    }

    /// The diagnostics in file order. Those without a span come first.
    public static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        let beginning = SourcePosition(line: 0, column: 0)
        return diagnostics.enumerated().sorted { left, right in
            let (a, b) = (left.element.place?.span, right.element.place?.span)
            return (a?.file.order ?? 0, a?.start ?? beginning, left.offset)
                < (b?.file.order ?? 0, b?.start ?? beginning, right.offset)
        }.map(\.element)
    }

    private func paint(_ text: String, _ style: String) -> String {
        color && !text.isEmpty ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    /// The longest text that is shown whole, because a name in a text may be as long as a file.
    private static let longestText = 1000

    /// A text without characters that control the terminal.
    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(longestText) { result += scalar.shown }
        return text.unicodeScalars.dropFirst(longestText).isEmpty ? result : result + "…"
    }
}
