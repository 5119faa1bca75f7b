import Records
import Testing

@testable import Expressions

@Suite("precedence")
struct PrecedenceTests {
    @Test(
        "is CEL's",
        arguments: [
            ("a + b * c", "(a + (b * c))"), ("a * b + c", "((a * b) + c)"), ("a - b - c", "((a - b) - c)"),
            ("a - (b - c)", "(a - (b - c))"),
            ("a / b % c * d", "(((a / b) % c) * d)"), ("-a * b", "((-a) * b)"), ("-a.b", "(-a.b)"),
            ("!a.b()", "(!a.b())"), ("!a == b", "((!a) == b)"), ("!-a", "(!(-a))"),
            ("-5", "-5"), ("- 5", "-5"), ("--5", "(--5)"), ("-(5)", "(-5)"), ("a - -5", "(a - -5)"),
            ("a-5", "(a - 5)"), ("-5.5 * a", "(-5.5 * a)"),
            ("a + b < c + d", "((a + b) < (c + d))"), ("a < b == c", "((a < b) == c)"),
            ("a == b < c", "((a == b) < c)"), ("a in b + c", "(a in (b + c))"),
            ("a in b == c", "((a in b) == c)"), ("!a in b", "((!a) in b)"),
            ("a && b || c", "((a && b) || c)"), ("a || b && c", "(a || (b && c))"),
            ("a && (b || c)", "(a && (b || c))"), ("a == b && c != d", "((a == b) && (c != d))"),
            ("!a && b", "((!a) && b)"),
            ("a && b && c", "((a && b) && c)"), ("a && b && c && d", "((a && b) && (c && d))"),
            ("a || b || c", "((a || b) || c)"),
            ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"), ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
            ("a || b ? c : d", "((a || b) ? c : d)"), ("a ? b : c || d", "(a ? b : (c || d))"),
            ("(a ? b : c) ? d : e", "((a ? b : c) ? d : e)"),
            ("a.b.c", "a.b.c"), ("a[b].c[d + e]", "a[b].c[(d + e)]"), ("a.b(c)[d]", "a.b(c)[d]"),
            ("f(a + b, c)", "f((a + b), c)"), ("[a, b + c][d]", "[a, (b + c)][d]"),
            ("{a: b + c}.d", "{a: (b + c)}.d"), ("(a + b).c", "(a + b).c"), ("-a[b]", "(-a[b])"),
            ("-a.?b + c", "((-a.?b) + c)"), ("a.?b[?c + d].e", "a.?b[?(c + d)].e"),
            ("[?a + b, c]", "[?(a + b), c]"), ("{?a: b ? c : d, e: f}", "{?a: (b ? c : d), e: f}"),
            ("a ? [?b] : c.optMap(d, d + e)", "(a ? [?b] : c.optMap(d, (d + e)))"),
            ("has(a.b) && c", "(has(a.b) && c)"), ("\"a\" in b", "(\"a\" in b)"),
        ])
    func precedence(text: String, wanted: String) throws {
        #expect(grouped(try Parser.parse(text)) == wanted)
    }

    /// The tree with parentheses around every operator.
    private func grouped(_ syntax: Syntax) -> String {
        func list(_ items: [Syntax]) -> String { items.map(grouped).joined(separator: ", ") }
        func entry(_ key: Syntax, _ value: Syntax) -> String {
            guard case .optionalElement(let value) = value.kind else {
                return "\(grouped(key)): \(grouped(value))"
            }
            return "?\(grouped(key)): \(grouped(value))"
        }
        return switch syntax.kind {
        case .literal(let value): value.json
        case .identifier(let name, let isRoot): (isRoot ? "." : "") + name
        case .comprehension(let macro, let target, let names, let arguments):
            "\(grouped(target)).\(macro.rawValue)(\(names.joined(separator: ", ")), \(list(arguments)))"
        case .binding(let name, let value, let body):
            "cel.bind(\(name), \(grouped(value)), \(grouped(body)))"
        case .select(let operand, let field, _): "\(grouped(operand)).\(field)"
        case .optionalSelect(let operand, let field, _): "\(grouped(operand)).?\(field)"
        case .optionalIndex(let operand, let index): "\(grouped(operand))[?\(grouped(index))]"
        case .optionalMap(let macro, let target, let name, let body):
            "\(grouped(target)).\(macro.rawValue)(\(name), \(grouped(body)))"
        case .optionalElement(let element): "?\(grouped(element))"
        case .presence(let operand, let field, _): "has(\(grouped(operand)).\(field))"
        case .index(let operand, let index): "\(grouped(operand))[\(grouped(index))]"
        case .call(let name, _, let target, let arguments):
            "\(target.map { grouped($0) + "." } ?? "")\(name)(\(list(arguments)))"
        case .list(let items): "[\(list(items))]"
        case .map(let entries):
            "{\(entries.map(entry).joined(separator: ", "))}"
        case .negate(let operand): "(-\(grouped(operand)))"
        case .not(let operand): "(!\(grouped(operand)))"
        case .binary(let operation, let left, let right):
            "(\(grouped(left)) \(operation.rawValue) \(grouped(right)))"
        case .and(let left, let right): "(\(grouped(left)) && \(grouped(right)))"
        case .or(let left, let right): "(\(grouped(left)) || \(grouped(right)))"
        case .conditional(let test, let first, let second):
            "(\(grouped(test)) ? \(grouped(first)) : \(grouped(second)))"
        }
    }

    @Test("ranges are the part without its parentheses, and operators reach from operand to operand")
    func ranges() throws {
        let text = " (a + ( b )) * -c"
        let syntax = try Parser.parse(text)
        guard case .binary(.multiply, let left, let right) = syntax.kind,
            case .binary(.add, _, let inner) = left.kind
        else { Issue.record("unexpected tree"); return }
        #expect(syntax.range == 1..<17)
        #expect(left.range == 2..<11)
        #expect(inner.range == 8..<9)
        #expect(right.range == 15..<17)
    }
}
