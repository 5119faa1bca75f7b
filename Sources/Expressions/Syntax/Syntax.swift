import Records

/// An expression as parsed: what is written, before names and types are looked at.
indirect enum SyntaxKind: Sendable {
    case literal(Value)
    /// A name; with a dot before it, one that no macro's name hides.
    case identifier(String, isRoot: Bool)
    case select(Syntax, field: String, fieldRange: Range<Int>)
    /// `has(operand.field)`
    case presence(Syntax, field: String, fieldRange: Range<Int>)
    case index(Syntax, Syntax)
    /// A function, or one called on a target with a dot.
    case call(String, nameRange: Range<Int>, target: Syntax?, [Syntax])
    /// A macro over the elements of a list or the keys of a map.
    case comprehension(Macro, Syntax, name: String, arguments: [Syntax])
    case list([Syntax])
    case map([(key: Syntax, value: Syntax)])
    case negate(Syntax)
    case not(Syntax)
    case binary(BinaryOperator, Syntax, Syntax)
    case and(Syntax, Syntax)
    case or(Syntax, Syntax)
    case conditional(Syntax, Syntax, Syntax)
}

/// A node of the syntax tree. No tree is deeper than `Parser.maximumDepth`.
struct Syntax: Sendable {
    let kind: SyntaxKind
    /// Where it stands, as UTF-8 offsets, without parentheses around it.
    let range: Range<Int>
    /// Where it stands with the parentheses around it.
    let extent: Range<Int>
    /// Levels below and with this one.
    let depth: Int
}

/// A function that binds a name to each element in turn.
enum Macro: String, Sendable {
    case all
    case exists
    case existsOne = "exists_one"
    case map
    case filter

    init?(name: String, argumentCount: Int) {
        guard let macro = Macro(rawValue: name == "existsOne" ? "exists_one" : name),
            argumentCount == 2 || argumentCount == 3 && macro == .map
        else { return nil }
        self = macro
    }
}

/// An operator between two operands that both always count.
enum BinaryOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case modulo = "%"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case `in`

    /// The operator that a symbol stands for; nil when it stands for none.
    init?(_ symbol: Token.Symbol) {
        switch symbol {
        case .plus: self = .add
        case .minus: self = .subtract
        case .times: self = .multiply
        case .divide: self = .divide
        case .modulo: self = .modulo
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        default: return nil
        }
    }

    /// Higher binds tighter; operators of one level group from the left.
    var precedence: Int {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .in: 1
        case .add, .subtract: 2
        case .multiply, .divide, .modulo: 3
        }
    }
}
