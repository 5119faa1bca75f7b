/// One form of a function or operator: what it takes, what it gives, and how it is compiled.
struct Overload: Sendable {
    /// Makes the code from that of the arguments, which have the parameters' types; the range is the call's.
    typealias Build = @Sendable (_ arguments: [Code], _ range: Range<Int>) -> Code

    /// What each argument must be. `.dynamic` takes any type, also inside a list or map.
    let parameters: [ExpressionType]
    /// What it gives for arguments of these types.
    let result: @Sendable ([ExpressionType]) -> ExpressionType
    let build: Build

    init(_ parameters: [ExpressionType], _ result: ExpressionType, build: @escaping Build) {
        (self.parameters, self.result, self.build) = (parameters, { _ in result }, build)
    }

    init(
        _ parameters: [ExpressionType],
        resultOf result: @escaping @Sendable ([ExpressionType]) -> ExpressionType,
        build: @escaping Build
    ) {
        (self.parameters, self.result, self.build) = (parameters, result, build)
    }

    /// All functions and operators, by name; a method is named with a dot before it, an operator by its symbol.
    static let table: [String: [Overload]] = {
        var table: [String: [Overload]] = [:]
        for part in [arithmetic, comparisons, conversions, collections, texts, times] {
            table.merge(part) { $0 + $1 }
        }
        return table
    }()

    /// What belongs to CEL or its standard extensions and is not done yet.
    static let unsupported: Set<String> = [
        "all", "exists", "exists_one", "existsOne", "map", "filter", "matches", "type", "dyn", "getDate",
        "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours", "getMilliseconds",
        "getMinutes",
        "getMonth", "getSeconds", "charAt", "format", "indexOf", "join", "lastIndexOf", "lowerAscii", "quote",
        "replace", "reverse", "split", "substring", "trim", "upperAscii", "greatest", "least", "ceil",
        "floor",
        "round", "trunc", "abs", "sign", "isNaN", "isInf", "isFinite", "bitOr", "bitAnd", "bitXor", "bitNot",
        "bitShiftLeft", "bitShiftRight", "sqrt",
    ]

    /// The names of types, which CEL also has as values.
    static let typeNames: Set<String> = [
        "bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type", "dyn",
    ]
}

extension ExpressionType {
    /// True when a value of `type` is one of this parameter's, without conversion.
    func accepts(_ type: ExpressionType) -> Bool {
        switch (self, type) {
        case (.dynamic, _): true
        case (.list(let element), .list(let other)): element.accepts(other)
        case (.map(let key, let value), .map(let otherKey, let other)):
            key.accepts(otherKey) && value.accepts(other)
        default: self == type
        }
    }
}
