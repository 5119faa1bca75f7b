import Diagnostics

// Integer constant expressions: values of enumerations, bounds of arrays.
extension CParser {
    /// The binary operators, from the lowest to the highest precedence.
    private static let operators: [[String]] = [
        ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"],
    ]

    /// The value of an expression, computed in 64 bits.
    mutating func constant() throws(Failure) -> Int64 { try constant(level: 0) }

    private mutating func constant(level: Int) throws(Failure) -> Int64 {
        guard level < Self.operators.count else { return try unary() }
        let start = current.range.lowerBound
        var left = try constant(level: level + 1)
        while current.kind == .punctuation, Self.operators[level].contains(current.text) {
            let sign = current.text
            advance()
            let right = try constant(level: level + 1)
            guard let value = Self.apply(sign, left, right) else {
                throw fault(
                    .invalidConstant, "`\(left) \(sign) \(right)` has no value that fits 64 bits",
                    at: start..<end)
            }
            left = value
        }
        return left
    }

    private static func apply(_ sign: String, _ left: Int64, _ right: Int64) -> Int64? {
        func exact(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
            result.overflow ? nil : result.partialValue
        }
        switch sign {
        case "|": return left | right
        case "^": return left ^ right
        case "&": return left & right
        case "+": return exact(left.addingReportingOverflow(right))
        case "-": return exact(left.subtractingReportingOverflow(right))
        case "*": return exact(left.multipliedReportingOverflow(by: right))
        case "/": return exact(left.dividedReportingOverflow(by: right))
        case "%": return exact(left.remainderReportingOverflow(dividingBy: right))
        case "<<":
            guard left >= 0, 0..<63 ~= right, left <= Int64.max >> right else { return nil }
            return left << right
        default:
            guard 0..<63 ~= right else { return nil }
            return left >> right
        }
    }

    private mutating func unary() throws(Failure) -> Int64 {
        let start = current.range.lowerBound
        if take("-") {
            let value = try nested { parser throws(Failure) in try parser.unary() }
            let (negated, overflow) = Int64(0).subtractingReportingOverflow(value)
            guard !overflow else {
                throw fault(.invalidConstant, "the number does not fit 64 bits", at: start..<end)
            }
            return negated
        }
        if take("+") { return try nested { parser throws(Failure) in try parser.unary() } }
        if take("~") { return ~(try nested { parser throws(Failure) in try parser.unary() }) }
        if take("(") {
            let value = try nested { parser throws(Failure) in try parser.constant() }
            try expect(")")
            return value
        }
        let token = current
        switch token.kind {
        case .number:
            guard let value = Self.integer(token.text) else {
                throw fault(.invalidConstant, "`\(token.text)` is not a 64-bit integer")
            }
            advance()
            return value
        case .literal:
            // The value of a character is its code. Escapes are rare, so they are refused.
            let bytes = Array(token.text.utf8)
            guard bytes.count == 3, bytes[0] == UInt8(ascii: "'"), bytes[1] < 0x80,
                bytes[1] != UInt8(ascii: "\\")
            else {
                throw fault(.invalidConstant, "\(token.shown) is not a number", help: ["write its number"])
            }
            advance()
            return Int64(bytes[1])
        case .word where token.text == "sizeof" || token.text == "_Alignof":
            throw fault(
                .invalidConstant, "`\(token.text)` is not supported in a constant", help: ["write the number"]
            )
        case .word where !Self.keywords.contains(token.text):
            guard let value = constants[token.text] else {
                guard !poisoned.contains(token.text) else { throw .consequence }
                let near = Suggestion.closest(to: token.text, among: constants.keys.sorted())
                throw fault(
                    .invalidConstant, "unknown constant `\(token.text)`",
                    help: [near.map { "did you mean `\($0)`?" } ?? "write its number"])
            }
            advance()
            return value
        default:
            throw expected("a number")
        }
    }

    /// A decimal, hexadecimal, octal or binary literal with any suffix of `u` and `l`.
    private static func integer(_ text: String) -> Int64? {
        var digits = text.lowercased()[...]
        while let last = digits.last, last == "u" || last == "l" { digits.removeLast() }
        if digits.hasPrefix("0x") { return Int64(digits.dropFirst(2), radix: 16) }
        if digits.hasPrefix("0b") { return Int64(digits.dropFirst(2), radix: 2) }
        return Int64(digits, radix: digits.count > 1 && digits.hasPrefix("0") ? 8 : 10)
    }
}
