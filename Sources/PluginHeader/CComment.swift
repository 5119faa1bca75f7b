/// What the manifest says about a field, as a comment in C.
enum CComment {
    /// The comment, indented, with a line's end; empty for no text.
    static func line(_ doc: String?, indentation: String) -> String {
        guard let doc else { return "" }
        var text = ""
        for scalar in doc.unicodeScalars {
            switch scalar.properties.generalCategory {
            // Also characters that turn the direction of what follows, which compilers warn about.
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                text += " "
            default:
                // No comment may begin or end in the text, and no trigraph.
                if let last = text.last, "/*?".contains(last), "/*?".unicodeScalars.contains(scalar) {
                    text += " "
                }
                text.unicodeScalars.append(scalar)
            }
        }
        let words = text.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? "" : "\(indentation)/* \(words) */\n"
    }
}
