import Foundation
import Records
import TestSupport

/// A random expression that knows its own text and value: an evaluator that shares nothing with the one under
/// test.
indirect enum Naive {
    case literal(Value)
    case field(String)
    case has(String)
    case item(Naive)
    case negate(Naive)
    case not(Naive)
    case binary(String, Naive, Naive)
    case choice(Naive, Naive, Naive)
    case call(String, Naive)
    case method(String, Naive, Naive)
    /// A macro over `state.items`, whose body compares or adds each item, `i`, and an operand.
    case macro(String, Naive)

    enum Kind: CaseIterable { case int, uint, double, bool, string }

    // MARK: Making

    static func random(_ kind: Kind, depth: Int, _ generator: inout SeededGenerator) -> Naive {
        guard depth > 0, Int.random(in: 0..<8, using: &generator) > 0 else { return leaf(kind, &generator) }
        func make(_ kind: Kind) -> Naive { random(kind, depth: depth - 1, &generator) }
        func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
        if Int.random(in: 0..<10, using: &generator) == 0 {
            return .choice(make(.bool), make(kind), make(kind))
        }
        let numbers: [Kind] = [.int, .uint, .double]
        switch (kind, Int.random(in: 0..<6, using: &generator)) {
        case (.int, 0): return .negate(make(.int))
        case (.int, 1): return .call("size", make(.string))
        case (.int, 2):
            return .call("int", make([.int, .uint, .double, .string].randomElement(using: &generator)!))
        case (.int, 3): return .item(make(.int))
        case (.int, 4): return .macro(pick("filter", "map"), make(.int))
        case (.int, _), (.uint, 1...): return .binary(pick("+", "-", "*", "/", "%"), make(kind), make(kind))
        case (.uint, _): return .call("uint", make(numbers.randomElement(using: &generator)!))
        case (.double, 0): return .negate(make(.double))
        case (.double, 1): return .call("double", make(numbers.randomElement(using: &generator)!))
        case (.double, _): return .binary(pick("+", "-", "*", "/"), make(kind), make(kind))
        case (.string, 0): return .call("string", make(Kind.allCases.randomElement(using: &generator)!))
        case (.string, _): return .binary("+", make(.string), make(.string))
        case (.bool, 0): return .not(make(.bool))
        case (.bool, 1): return .binary(pick("&&", "||"), make(.bool), make(.bool))
        case (.bool, 2):
            return .binary(
                pick("<", "<=", ">", ">=", "==", "!="), make(numbers.randomElement(using: &generator)!),
                make(numbers.randomElement(using: &generator)!))
        case (.bool, 3): return .binary(pick("<", "<=", ">", ">=", "==", "!="), make(.string), make(.string))
        case (.bool, 4):
            return .method(pick("startsWith", "endsWith", "contains"), make(.string), make(.string))
        case (.bool, 5): return .macro(pick("all", "exists", "exists_one"), make(.int))
        case (.bool, _): return .binary(pick("&&", "||"), make(.bool), make(.bool))
        }
    }

    private static func leaf(_ kind: Kind, _ generator: inout SeededGenerator) -> Naive {
        func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &generator)! }
        let isField = Bool.random(using: &generator)
        switch kind {
        case .int:
            return isField
                ? .field(pick(["a", "b", "c", "small", "word", "maybe"]))
                : .literal(.int(pick([0, 1, 2, 3, -1, -2, 7, 100, .max, .min, 1 << 53])))
        case .uint: return isField ? .field("big") : .literal(.uint(pick([0, 1, 2, 5, .max, 1 << 63])))
        case .double:
            return isField
                ? .field(pick(["load", "ratio"]))
                : .literal(.double(pick([0, 0.5, -1.5, 3, 1e300, 9_007_199_254_740_992])))
        case .bool:
            return isField
                ? pick([.field("off"), .field("on"), .has("maybe")]) : .literal(.bool(pick([true, false])))
        case .string:
            return isField
                ? .field(pick(["name", "title"])) : .literal(.string(pick(["", "a", "ab", "ü", "12", "日本"])))
        }
    }

    // MARK: Writing

    /// The expression, with no more parentheses than precedence asks for.
    var text: String { text(0) }

    private func text(_ level: Int) -> String {
        func wrapped(_ text: String, _ own: Int) -> String { own < level ? "(\(text))" : text }
        switch self {
        case .literal(.uint(let value)): return "\(value)u"
        // A sign before a literal belongs to it, but not behind another operator's dot.
        case .literal(.int(let value)): return wrapped("\(value)", value < 0 ? 6 : 7)
        case .literal(.double(let value)): return wrapped("\(value)", value < 0 ? 6 : 7)
        case .literal(.string(let value)): return "'\(value)'"
        case .literal(let value): return value.json
        // As an operand, which must not be null; alone it may.
        case .field("maybe"): return wrapped("0 + state.maybe", 4)
        case .field(let name): return "state.\(name)"
        case .has(let name): return "has(state.\(name))"
        case .item(let index): return "state.items[\(index.text)]"
        // In parentheses, or a literal behind the sign would become a literal with a sign.
        case .negate(let operand): return wrapped("-(\(operand.text))", 6)
        case .not(let operand): return wrapped("!\(operand.text(6))", 6)
        case .binary(let name, let left, let right):
            let own =
                switch name {
                case "||": 1
                case "&&": 2
                case "+", "-": 4
                case "*", "/", "%": 5
                default: 3
                }
            return wrapped("\(left.text(own)) \(name) \(right.text(own + 1))", own)
        case .choice(let test, let first, let second):
            return wrapped("\(test.text(1)) ? \(first.text) : \(second.text)", 0)
        case .call(let name, let argument): return "\(name)(\(argument.text))"
        case .method(let name, let target, let argument): return "\(target.text(7)).\(name)(\(argument.text))"
        case .macro("map", let operand): return "state.items.map(i, i + \(operand.text(5))).size()"
        case .macro("filter", let operand): return "state.items.filter(i, i < \(operand.text(4))).size()"
        case .macro(let name, let operand): return "state.items.\(name)(i, i < \(operand.text(4)))"
        }
    }

    // MARK: Evaluating

    /// The value in this world; nil for a fault.
    func value(_ world: World) -> Value? {
        switch self {
        case .literal(let value): return value
        case .field("maybe"): return world.state["maybe"] == .null ? nil : world.state["maybe"]
        case .field(let name): return world.state[name]
        case .has(let name): return .bool(world.state[name] != .null)
        case .item(let index):
            guard case .int(let index)? = index.value(world), case .list(let items)? = world.state["items"],
                items.indices.contains(Int(index))
            else { return nil }
            return items[Int(index)]
        case .negate(let operand):
            switch operand.value(world) {
            case .int(let value)?: return value == .min ? nil : .int(-value)
            case .double(let value)?: return .double(-value)
            default: return nil
            }
        case .not(let operand):
            guard case .bool(let value)? = operand.value(world) else { return nil }
            return .bool(!value)
        case .choice(let test, let first, let second):
            guard case .bool(let test)? = test.value(world) else { return nil }
            return test ? first.value(world) : second.value(world)
        case .binary("&&", let left, let right):
            return Self.logic(left.value(world), right.value(world), false)
        case .binary("||", let left, let right):
            return Self.logic(left.value(world), right.value(world), true)
        case .binary(let name, let left, let right):
            guard let left = left.value(world), let right = right.value(world) else { return nil }
            return Self.apply(name, left, right)
        case .call(let name, let argument): return argument.value(world).flatMap { Self.convert(name, $0) }
        case .macro(let name, let operand):
            guard case .list(let items)? = world.state["items"] else { return nil }
            return Self.fold(name, items, operand.value(world))
        case .method(let name, let target, let argument):
            guard case .string(let target)? = target.value(world),
                case .string(let part)? = argument.value(world)
            else { return nil }
            let (bytes, wanted) = (Array(target.utf8), Array(part.utf8))
            switch name {
            case "startsWith": return .bool(bytes.starts(with: wanted))
            case "endsWith": return .bool(bytes.reversed().starts(with: wanted.reversed()))
            default:
                return .bool(
                    wanted.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: wanted) })
            }
        }
    }

    /// Item by item, with a nil for each fault.
    private static func fold(_ name: String, _ items: [Value], _ operand: Value?) -> Value? {
        let tests = items.map { item in operand.flatMap { apply("<", item, $0) } }
        switch name {
        case "all": return tests.reduce(Value.bool(true)) { logic($0, $1, false) }
        case "exists": return tests.reduce(Value.bool(false)) { logic($0, $1, true) }
        case "exists_one":
            return tests.contains(nil) ? nil : .bool(tests.filter { $0 == .bool(true) }.count == 1)
        case "filter":
            return tests.contains(nil) ? nil : .int(Int64(tests.filter { $0 == .bool(true) }.count))
        default:
            let sums = items.map { item in operand.flatMap { apply("+", item, $0) } }
            return sums.contains(nil) ? nil : .int(Int64(sums.count))
        }
    }

    private static func logic(_ left: Value?, _ right: Value?, _ decisive: Bool) -> Value? {
        if left == .bool(decisive) || right == .bool(decisive) { return .bool(decisive) }
        return left == nil || right == nil ? nil : .bool(!decisive)
    }

    private static func apply(_ name: String, _ left: Value, _ right: Value) -> Value? {
        switch (left, right) {
        case (.int(let a), .int(let b)) where "+-*/%".contains(name):
            return integer(name, a, b).map { .int($0) }
        case (.uint(let a), .uint(let b)) where "+-*/%".contains(name):
            return integer(name, a, b).map { .uint($0) }
        case (.double(let a), .double(let b)) where "+-*/".contains(name):
            return .double(name == "+" ? a + b : name == "-" ? a - b : name == "*" ? a * b : a / b)
        case (.string(let a), .string(let b)) where name == "+": return .string(a + b)
        case (.string(let a), .string(let b)):
            let (a, b) = (Array(a.utf8), Array(b.utf8))
            return .bool(compare(name, less: a.lexicographicallyPrecedes(b), equal: a == b))
        default:
            let (less, equal): (Bool, Bool)
            if left.kind == "double" || right.kind == "double" {
                let (a, b) = (left.asDouble, right.asDouble)
                guard !a.isNaN, !b.isNaN else { return .bool(name == "!=") }
                (less, equal) = (a < b, a == b)
            } else {
                let (a, b) = (left.asWide, right.asWide)
                (less, equal) = (a < b, a == b)
            }
            return .bool(compare(name, less: less, equal: equal))
        }
    }

    private static func compare(_ name: String, less: Bool, equal: Bool) -> Bool {
        switch name {
        case "<": less
        case "<=": less || equal
        case ">": !less && !equal
        case ">=": !less
        case "==": equal
        default: !equal
        }
    }

    private static func integer<Number: FixedWidthInteger>(_ name: String, _ a: Number, _ b: Number)
        -> Number?
    {
        if b == 0, name == "/" || name == "%" { return nil }
        let result =
            switch name {
            case "+": a.addingReportingOverflow(b)
            case "-": a.subtractingReportingOverflow(b)
            case "*": a.multipliedReportingOverflow(by: b)
            case "/": a.dividedReportingOverflow(by: b)
            default: a.remainderReportingOverflow(dividingBy: b)
            }
        return result.overflow ? nil : result.partialValue
    }

    private static func convert(_ name: String, _ value: Value) -> Value? {
        switch (name, value) {
        case ("size", .string(let text)): return .int(Int64(text.unicodeScalars.count))
        case ("int", .int), ("uint", .uint), ("double", .double), ("string", .string): return value
        case ("int", .uint(let value)): return Int64(exactly: value).map { .int($0) }
        case ("int", .double(let value)): return abs(value) < 0x1p63 ? .int(Int64(value)) : nil
        case ("int", .string(let text)): return Int64(text).map { .int($0) }
        case ("uint", .int(let value)): return UInt64(exactly: value).map { .uint($0) }
        case ("uint", .double(let value)): return value >= 0 && value < 0x1p64 ? .uint(UInt64(value)) : nil
        case ("double", .int(let value)): return .double(Double(value))
        case ("double", .uint(let value)): return .double(Double(value))
        case ("string", .double(let value)): return .string(text(value))
        case ("string", _): return .string(value.json)
        default: return nil
        }
    }

    /// Doubles as Go's `fmt` prints them with `%v`, by another way than the one under test: digit by digit.
    private static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
        guard value != 0 else { return value.sign == .minus ? "-0" : "0" }
        let magnitude = value.magnitude
        var exponent = 0
        var digits = ""
        // The shortest digits that read as the same double, whatever their exponent.
        for count in 1...17 where digits.isEmpty {
            let text = String(format: "%.\(count - 1)e", magnitude)
            if Double(text) == magnitude {
                let parts = text.split(separator: "e")
                digits = parts[0].filter { $0 != "." }
                exponent = Int(parts[1])!
            }
        }
        let sign = value < 0 ? "-" : ""
        if exponent < -4 || exponent >= 21 {
            let tail = digits.dropFirst()
            let size = "\(abs(exponent))"
            return sign + digits.prefix(1) + (tail.isEmpty ? "" : "." + tail) + (exponent < 0 ? "e-" : "e+")
                + (size.count == 1 ? "0" : "") + size
        }
        if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits }
        let whole = digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
        let tail = whole.dropFirst(exponent + 1)
        return sign + whole.prefix(exponent + 1) + (tail.isEmpty ? "" : "." + tail)
    }
}

extension Value {
    /// A number as a double; other values are none.
    fileprivate var asDouble: Double {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: .nan
        }
    }

    /// An integer of either type, whole.
    fileprivate var asWide: Int128 {
        switch self {
        case .int(let value): Int128(value)
        case .uint(let value): Int128(value)
        default: 0
        }
    }
}
