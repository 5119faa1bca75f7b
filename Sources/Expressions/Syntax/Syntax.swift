import Records

/// A parsed expression, before names and types are checked.
indirect enum SyntaxKind: Sendable {
    case literal(Value)
    /// A name. With a dot before it (`isRoot`), the variable of a macro cannot hide it.
    case identifier(String, isRoot: Bool)
    case select(Syntax, field: String, fieldRange: Range<Int>)
    /// `has(operand.field)`
    case presence(Syntax, field: String, fieldRange: Range<Int>)
    case index(Syntax, Syntax)
    /// `operand.?field`
    case optionalSelect(Syntax, field: String, fieldRange: Range<Int>)
    /// `operand[?index]`
    case optionalIndex(Syntax, Syntax)
    /// A call of a function, or of a method on a target.
    case call(String, nameRange: Range<Int>, target: Syntax?, [Syntax])
    /// A macro over the elements of a list or the entries of a map. It has one variable, or two.
    case comprehension(Macro, Syntax, names: [String], arguments: [Syntax])
    /// `cel.bind(name, value, body)`
    case binding(String, Syntax, body: Syntax)
    /// `operand.optMap(name, body)` or `operand.optFlatMap(name, body)`
    case optionalMap(OptionalMacro, Syntax, name: String, body: Syntax)
    case list([Syntax])
    case map([(key: Syntax, value: Syntax)])
    /// `?element` in a list, or the value of `?key: value` in a map. It stands nowhere else.
    case optionalElement(Syntax)
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
    /// The range in the text as UTF-8 offsets, without parentheses around it.
    let range: Range<Int>
    /// The range in the text with the parentheses around it.
    let extent: Range<Int>
    /// The number of levels of this node and the nodes below it.
    let depth: Int

    /// True for a part of a list or map that is left out when it is an optional without a value.
    var isOptionalElement: Bool { if case .optionalElement = kind { true } else { false } }
}

/// A function that evaluates its arguments for each element, with the element bound to a name.
///
/// With two names, the first one is the index in a list or the key in a map, and the second one the value. They follow the
/// extension of CEL for two variables: github.com/google/cel-go, ext/comprehensions.go.
enum Macro: String, Sendable {
    case all
    case exists
    case existsOne = "exists_one"
    case map
    case filter
    case transformList
    case transformMap
    case transformMapEntry
    case sortBy

    /// The function of `binding`, which has three arguments.
    static let binding = "cel.bind"

    init?(name: String) { self.init(rawValue: name == "existsOne" ? "exists_one" : name) }

    /// How many arguments it may have.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .all, .exists, .existsOne, .map: 2...3
        case .filter, .sortBy: 2...2
        case .transformList, .transformMap, .transformMapEntry: 3...4
        }
    }

    /// How many of so many arguments are names of variables.
    func variableCount(ofArguments count: Int) -> Int {
        switch self {
        case .all, .exists, .existsOne: count - 1
        case .map, .filter, .sortBy: 1
        case .transformList, .transformMap, .transformMapEntry: 2
        }
    }
}

/// A function that evaluates its second argument for the value of an optional, with the value bound to a name.
enum OptionalMacro: String, Sendable {
    /// Its result has the value of the second argument.
    case optMap
    /// Its result is the second argument, an optional.
    case optFlatMap

    static let argumentCount = 2
}

/// A binary operator that always evaluates both operands.
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

    /// The operator with this symbol; nil when there is none.
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

    /// A higher number binds tighter. Operators of one level group from the left.
    var precedence: Int {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .in: 1
        case .add, .subtract: 2
        case .multiply, .divide, .modulo: 3
        }
    }
}
