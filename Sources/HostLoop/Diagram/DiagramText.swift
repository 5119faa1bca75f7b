/// Labels as the languages of diagrams take them.
package enum DiagramText {
    /// Mermaid has no escape but entities; whatever could mean something to one of its parsers becomes one.
    package static func mermaid(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain =
                !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || " -_.,()/+=!?'".unicodeScalars.contains(scalar)
            if isPlain { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
        }
    }

    /// A quoted string of DOT.
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
