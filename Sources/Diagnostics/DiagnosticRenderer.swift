/// Diagnostics as text for people, in the form that rustc made common: message, place, the line, carets, help.
public struct DiagnosticRenderer: Sendable {
    /// Whether to colour the output with ANSI escapes. The text makes sense without.
    public let color: Bool

    /// A renderer, without colour unless asked.
    public init(color: Bool = false) { self.color = color }

    /// One diagnostic, with a newline at its end.
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
        // The main place comes first; related places in the same file follow it, each with its line.
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
            let (line, carets) = Self.excerpt(span, mark: mark)
            let bar = paint("|", "1;34")
            text += "\(paint(number, "1;34")) \(bar)\(line.isEmpty ? "" : " " + line)\n"
            let words = label.text.isEmpty ? "" : " " + Self.printable(label.text)
            text +=
                "\(gutter) \(bar) \(carets.padding)\(paint(carets.marks + words, mark == "^" ? "1;\(tint)" : "1;34"))\n"
            shown = (span.file, span.start.line)
        }
        for note in diagnostic.notes {
            text += "\(gutter) = \(paint("note", "1")): \(Self.printable(note))\n"
        }
        for help in diagnostic.help { text += "\(gutter) = \(paint("help", "1")): \(Self.printable(help))\n" }
        return text
    }

    /// All diagnostics, errors and warnings together in the order of their places, a blank line after each, then how
    /// many there were in the file named. Empty when there are none.
    public func render(_ diagnostics: [Diagnostic], in name: String) -> String {
        guard !diagnostics.isEmpty else { return "" }
        var text = ""
        for diagnostic in Self.sorted(diagnostics) { text += render(diagnostic) + "\n" }
        for (severity, word) in [(Diagnostic.Severity.error, "fault"), (.warning, "warning")] {
            let count = diagnostics.count { $0.severity == severity }
            guard count > 0 else { continue }
            let tint = severity == .error ? "1;31" : "1;33"
            text += "\(paint(severity.rawValue, tint)): \(count) \(word)\(count == 1 ? "" : "s") in \(name)\n"
        }
        return text
    }

    /// The diagnostics in file order; those without a place come first.
    public static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        let beginning = SourcePosition(line: 0, column: 0)
        return diagnostics.enumerated().sorted { left, right in
            let (a, b) = (
                left.element.place?.span.start ?? beginning, right.element.place?.span.start ?? beginning
            )
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }

    private func paint(_ text: String, _ style: String) -> String {
        color && !text.isEmpty ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    /// The line with tabs as they are, and the padding and marks that stand below the span. Long lines are cut to a
    /// window around the span.
    private static func excerpt(
        _ span: SourceSpan, mark: Character
    ) -> (line: String, carets: (padding: String, marks: String)) {
        let scalars = Array(span.file.line(span.start.line).unicodeScalars)
        let start = min(span.start.column - 1, scalars.count)
        let end = span.end.line > span.start.line ? scalars.count : min(span.end.column - 1, scalars.count)
        let window = max(0, start - 60)..<min(scalars.count, max(start + 80, min(end, start + 120)))
        var line = window.lowerBound > 0 ? "…" : ""
        var padding = line.isEmpty ? "" : " "
        var marks = ""
        for index in window {
            let scalar = scalars[index]
            line.unicodeScalars.append(contentsOf: printable(scalar))
            if index < start {
                padding += scalar == "\t" ? "\t" : String(repeating: " ", count: width(scalar))
            } else if index < end {
                marks += String(repeating: mark, count: max(1, width(scalar)))
            }
        }
        if window.upperBound < scalars.count { line += "…" }
        return (line, (padding, marks.isEmpty ? String(mark) : marks))
    }

    /// Control characters shown as symbols, so that no file can drive the terminal.
    private static func printable(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar.value {
        case 9: [scalar]
        case 0..<0x20: [Unicode.Scalar(0x2400 + scalar.value)!]
        case 0x7F: ["\u{2421}"]
        case 0x80..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: ["\u{FFFD}"]
        default: [scalar]
        }
    }

    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(contentsOf: printable(scalar)) }
        return result
    }

    /// Terminal cells of a character: 0 for combining marks, 2 for East Asian wide ones and emoji, else 1 (the
    /// ranges of Unicode's EastAsianWidth `W` and `F`, by block).
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: 1
            }
        }
    }
}
