import Diagnostics
import Records

extension Overload {
    /// The strings extension's functions that count code points: `charAt`, `indexOf`, `lastIndexOf`, `substring`.
    static let positions: [String: [Overload]] = [
        ".charAt": [
            Overload(values: [.string, .int], .string) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].scalars
                let index = try position(arguments[1], upTo: text.count, at: range)
                return index == text.count ? .string("") : .string(String(text[index]))
            }
        ],
        ".indexOf": [
            Overload(values: [.string, .string], .int) { arguments, _ in
                index(of: arguments[1].scalars, in: arguments[0].scalars, from: 0)
            },
            Overload(values: [.string, .string, .int], .int) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].scalars
                let start = try position(arguments[2], upTo: text.count, at: range)
                return index(of: arguments[1].scalars, in: text, from: start)
            },
        ],
        ".lastIndexOf": [
            Overload(values: [.string, .string], .int) { arguments, _ in
                let text = arguments[0].scalars
                return lastIndex(of: arguments[1].scalars, in: text, from: text.count)
            },
            Overload(values: [.string, .string, .int], .int) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].scalars
                let start = try position(arguments[2], upTo: text.count, at: range)
                return lastIndex(of: arguments[1].scalars, in: text, from: start)
            },
        ],
        ".substring": [
            Overload(values: [.string, .int], .string) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].scalars
                let start = try position(arguments[1], upTo: text.count, at: range)
                return .string(String(String.UnicodeScalarView(text[start...])))
            },
            Overload(values: [.string, .int, .int], .string) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].scalars
                let start = try position(arguments[1], upTo: text.count, at: range)
                let end = try position(arguments[2], upTo: text.count, at: range)
                guard start <= end else {
                    throw EvaluationFault(
                        .indexOutOfBounds, "the part from `\(start)` to `\(end)` ends before it begins",
                        at: range)
                }
                return .string(String(String.UnicodeScalarView(text[start..<end])))
            },
        ],
    ]

    private static func position(
        _ index: Value, upTo count: Int, at range: Range<Int>
    ) throws(EvaluationFault) -> Int {
        let index = index.integer
        guard (0...Int64(count)).contains(index) else {
            throw EvaluationFault(
                .indexOutOfBounds,
                "index `\(index)` is outside the text of \(count) character\(count == 1 ? "" : "s")",
                at: range)
        }
        return Int(index)
    }

    private static func index(
        of part: [Unicode.Scalar], in text: [Unicode.Scalar], from start: Int
    ) -> Value {
        .int(Int64(PartSearch(part).first(in: text, from: start) ?? -1))
    }

    /// The last place at or before `start`: the first one in the texts turned round.
    private static func lastIndex(
        of part: [Unicode.Scalar], in text: [Unicode.Scalar], from start: Int
    ) -> Value {
        guard part.count <= text.count else { return .int(-1) }
        let skipped = text.count - min(start + part.count, text.count)
        let found = PartSearch(part.reversed()).first(in: text.reversed(), from: skipped)
        return .int(Int64(found.map { text.count - $0 - part.count } ?? -1))
    }
}

/// What the parameters of an overload say that the arguments are.
extension Value {
    var text: String {
        guard case .string(let text) = self else {
            preconditionFailure("the checker lets only string through")
        }
        return text
    }

    var scalars: [Unicode.Scalar] { Array(text.unicodeScalars) }

    var integer: Int64 {
        guard case .int(let number) = self else { preconditionFailure("the checker lets only int through") }
        return number
    }

    var elements: [Value] {
        guard case .list(let elements) = self else {
            preconditionFailure("the checker lets only lists through")
        }
        return elements
    }
}
