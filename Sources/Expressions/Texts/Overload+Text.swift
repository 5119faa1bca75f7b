import Diagnostics
import Records

extension Overload {
    /// The strings extension's functions that make new texts or lists from texts.
    static let rewriting: [String: [Overload]] = [
        ".lowerAscii": [
            Overload(values: [.string], .string) { arguments, _ in
                .string(
                    mapped(arguments[0]) { ("A"..."Z").contains($0) ? Unicode.Scalar($0.value + 32)! : $0 })
            }
        ],
        ".upperAscii": [
            Overload(values: [.string], .string) { arguments, _ in
                .string(
                    mapped(arguments[0]) { ("a"..."z").contains($0) ? Unicode.Scalar($0.value - 32)! : $0 })
            }
        ],
        ".reverse": [
            Overload(values: [.string], .string) { arguments, _ in
                .string(String(String.UnicodeScalarView(arguments[0].scalars.reversed())))
            }
        ],
        ".trim": [
            Overload(values: [.string], .string) { arguments, _ in
                let scalars = arguments[0].scalars
                guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
                    let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
                else { return .string("") }
                return .string(String(String.UnicodeScalarView(scalars[first...last])))
            }
        ],
        "strings.quote": [
            Overload(values: [.string], .string) { arguments, _ in .string(quoted(arguments[0].text)) }
        ],
        ".join": [
            Overload(values: [.list(.dynamic)], .string) { arguments, range throws(EvaluationFault) in
                try join(arguments[0].elements, "", at: range)
            },
            Overload(values: [.list(.dynamic), .string], .string) {
                arguments, range throws(EvaluationFault) in
                try join(arguments[0].elements, arguments[1].text, at: range)
            },
        ],
        ".split": [
            Overload([.string, .string], .list(.string)) { arguments, range in
                .parts(
                    TextParts(
                        text: arguments[0].text(at: range), separator: arguments[1].text(at: range),
                        limit: .constant(-1)))
            },
            Overload([.string, .string, .int], .list(.string)) { arguments, range in
                .parts(
                    TextParts(
                        text: arguments[0].text(at: range), separator: arguments[1].text(at: range),
                        limit: arguments[2].intOperand))
            },
        ],
        ".replace": [
            Overload([.string, .string, .string], .string) { arguments, range in
                replace(arguments, limit: .constant(-1), at: range)
            },
            Overload([.string, .string, .string, .int], .string) { arguments, range in
                replace(arguments, limit: arguments[3].intOperand, at: range)
            },
        ],
        ".format": [
            Overload(values: [.string, .list(.dynamic)], .string) {
                arguments, range throws(EvaluationFault) in
                var format = TextFormat(arguments[0].text, arguments[1].elements, at: range)
                return .string(try format.formatted())
            }
        ],
    ]

    /// The limit on the bytes of UTF-8 in a text built from others.
    static let maximumText = 1 << 22

    static func checkLength(_ count: Int, at range: Range<Int>) throws(EvaluationFault) {
        guard count <= maximumText else {
            throw EvaluationFault(
                .tooMuchWork, "the text has more than the \(maximumText) bytes allowed", at: range)
        }
    }

    private static func mapped(
        _ value: Value, _ transform: (Unicode.Scalar) -> Unicode.Scalar
    ) -> String { String(String.UnicodeScalarView(value.scalars.map(transform))) }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{7}": quoted += "\\a"
            case "\u{8}": quoted += "\\b"
            case "\u{B}": quoted += "\\v"
            case "\u{C}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func join(
        _ elements: [Value], _ separator: String, at range: Range<Int>
    ) throws(EvaluationFault) -> Value {
        var joined = ""
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                throw EvaluationFault(
                    .wrongDynamicType,
                    "`join` takes a list of strings, but element \(index) is \(element.kind)",
                    at: range)
            }
            if index > 0 { joined += separator }
            joined += text
            try checkLength(joined.utf8.count, at: range)
        }
        return .string(joined)
    }
}

extension Overload {
    /// Concatenation and search in strings and bytes.
    // Safe because the functions read within the bytes they are given.
    static let texts: [String: [Overload]] = unsafe [
        "+": [
            Overload([.string, .string], .string) { arguments, range in
                let (left, right) = (
                    arguments[0].text(at: range).content, arguments[1].text(at: range).content
                )
                return .string(.computed { frame throws(EvaluationFault) in try left(frame) + right(frame) })
            },
            Overload([.bytes, .bytes], .bytes) { arguments, _ in
                let (left, right) = (arguments[0].bytesOperand.content, arguments[1].bytesOperand.content)
                return .bytes(.computed { frame throws(EvaluationFault) in try left(frame) + right(frame) })
            },
        ],
        ".startsWith": [search { text, part in unsafe OctetFunction.starts(text, with: part) }],
        ".endsWith": [search { text, part in unsafe OctetFunction.ends(text, with: part) }],
        ".contains": [search { text, part in unsafe OctetFunction.contains(text, part) }],
    ]

    private static func search(
        _ function: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Overload {
        // Safe because the functions read within the bytes they are given.
        Overload([.string, .string], .bool) { arguments, range in
            unsafe .bool(
                Octets.compare(arguments[0].text(at: range), arguments[1].text(at: range), function))
        }
    }
}

extension Overload {
    /// The strings extension's functions that count code points: `charAt`, `indexOf`, `lastIndexOf` and
    /// `substring`.
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
            Overload([.string, .int], .string) { arguments, range in
                substring(arguments, to: nil, at: range)
            },
            Overload([.string, .int, .int], .string) { arguments, range in
                substring(arguments, to: arguments[2].intOperand, at: range)
            },
        ],
    ]

    private static func substring(_ arguments: [Code], to end: Operand<Int64>?, at range: Range<Int>) -> Code
    {
        let (text, start, end) = (
            arguments[0].text(at: range), arguments[1].intOperand.computation, end?.computation
        )
        return .string(
            .computed { frame throws(EvaluationFault) in
                let (text, first) = (try text.textView(frame), try start(frame))
                let last = try end?(frame)
                return try unsafe text.withOctets { text throws(EvaluationFault) in
                    let start = unsafe try offset(of: first, in: text, at: range)
                    let end = try last.map { last throws(EvaluationFault) in
                        unsafe try offset(of: last, in: text, at: range)
                    }
                    guard start <= end ?? start else {
                        throw EvaluationFault(
                            .indexOutOfBounds,
                            "the part from `\(first)` to `\(last ?? 0)` ends before it begins", at: range)
                    }
                    // Safe because the part lies within the text.
                    return unsafe String(
                        octets: UnsafeRawBufferPointer(rebasing: text[start..<(end ?? text.count)]))
                }
            })
    }

    /// Where the character of an index begins in UTF-8. The index after the last character is the end of the text.
    private static func offset(
        of index: Int64, in text: UnsafeRawBufferPointer, at range: Range<Int>
    ) throws(EvaluationFault) -> Int {
        var (offset, left) = (0, index)
        while left > 0, offset < text.count {
            offset = unsafe OctetFunction.end(ofCharacterAt: offset, in: text)
            left -= 1
        }
        guard left == 0 else {
            throw unsafe outside(index, of: Int(OctetFunction.countCodePoints(text)), at: range)
        }
        return offset
    }

    private static func position(
        _ index: Value, upTo count: Int, at range: Range<Int>
    ) throws(EvaluationFault) -> Int {
        let index = index.integer
        guard (0...Int64(count)).contains(index) else { throw outside(index, of: count, at: range) }
        return Int(index)
    }

    private static func outside(_ index: Int64, of count: Int, at range: Range<Int>) -> EvaluationFault {
        EvaluationFault(
            .indexOutOfBounds,
            "index `\(index)` is outside the text of \(count) character\(count == 1 ? "" : "s")", at: range)
    }

    private static func index(
        of part: [Unicode.Scalar], in text: [Unicode.Scalar], from start: Int
    ) -> Value {
        .int(Int64(PartSearch(part).first(in: text, from: start) ?? -1))
    }

    /// The last index of the part at or before `start`. It searches both texts in reverse for the first
    /// match.
    private static func lastIndex(
        of part: [Unicode.Scalar], in text: [Unicode.Scalar], from start: Int
    ) -> Value {
        guard part.count <= text.count else { return .int(-1) }
        let skipped = text.count - min(start + part.count, text.count)
        let found = PartSearch(part.reversed()).first(in: text.reversed(), from: skipped)
        return .int(Int64(found.map { text.count - $0 - part.count } ?? -1))
    }
}

/// The content of arguments whose types the overload's parameters have fixed.
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
