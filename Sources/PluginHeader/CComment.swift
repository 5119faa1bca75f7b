/// Writes the documentation of a field as a C comment.
enum CComment {
    /// The indented comment with a line end; empty for an empty text.
    static func line(_ doc: String?, indentation: String) -> String {
        guard let doc else { return "" }
        var text = ""
        for scalar in doc.unicodeScalars {
            switch scalar.properties.generalCategory {
            // These include characters that change the direction of text, about which compilers warn.
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                text += " "
            default:
                // A space prevents the start or end of a comment, and trigraphs.
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
