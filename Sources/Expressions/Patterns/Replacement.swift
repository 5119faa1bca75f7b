import Diagnostics

/// The text that replaces a match. `\1` to `\9` stand for what a group captures, `\0` for the match, and `\\`
/// for `\`.
struct Replacement {
    private enum Part {
        case text([UInt8])
        /// Number 0 is the whole match.
        case group(Int)
    }

    private var parts: [Part] = []

    /// - Parameter groups: how many groups the pattern has.
    /// - Throws: when another character follows a `\`, or the pattern has no such group.
    init(_ text: String, groups: Int, at range: Range<Int>) throws(EvaluationFault) {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let plain = rest.prefix { $0 != UInt8(ascii: "\\") }
            if !plain.isEmpty { parts.append(.text(Array(plain))) }
            rest = rest[plain.endIndex...].dropFirst()
            guard plain.endIndex < text.utf8.endIndex else { break }
            guard let escaped = rest.popFirst() else {
                throw EvaluationFault(
                    .invalidFormat, "the replacement ends with `\\`: write `\\\\` for the character",
                    at: range)
            }
            switch escaped {
            case UInt8(ascii: "\\"): parts.append(.text([escaped]))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let group = Int(escaped - UInt8(ascii: "0"))
                guard group <= groups else {
                    throw EvaluationFault(
                        .invalidFormat,
                        "the replacement has `\\\(group)`, but the pattern captures \(groups) "
                            + (groups == 1 ? "group" : "groups"), at: range)
                }
                parts.append(.group(group))
            default:
                throw EvaluationFault(
                    .invalidFormat, "in a replacement, a digit or `\\` must follow `\\`", at: range)
            }
        }
    }

    /// Appends what replaces a match in a text.
    func append(for match: Regex.Match, in text: [UInt8], to result: inout [UInt8]) {
        for part in parts {
            switch part {
            case .text(let bytes): result += bytes
            case .group(0): result += text[match.whole]
            case .group(let number): if let part = match.groups[number - 1] { result += text[part] }
            }
        }
    }
}
