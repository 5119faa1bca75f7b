/// Escapes labels for the languages of diagrams.
package enum DiagramText {
    /// Escapes a label for Mermaid. Its only escapes are entities, so every character that one of its parsers
    /// may interpret becomes an entity.
    package static func mermaid(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain =
                !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || " -_.,()/+=!?'".unicodeScalars.contains(scalar)
            if isPlain { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
        }
    }

    /// Escapes and quotes a label for DOT.
    package static func dot(_ text: String) -> String {
        let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(escaped)\""
    }

    /// Escapes a label for XML. Characters that XML cannot contain become spaces.
    package static func xml(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "\n"
            case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The label on one line.
    package static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The columns that the label takes on a terminal, about: characters of East Asian scripts and emoji take two.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + ($1.unicodeScalars.first!.value >= 0x1100 ? 2 : 1) }
    }
}
