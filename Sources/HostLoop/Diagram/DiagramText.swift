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
}
