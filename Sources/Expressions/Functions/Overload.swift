import Records

/// One overload of a function or operator: its parameters, its result and its code.
struct Overload: Sendable {
    /// Makes the code of a call from the code of its arguments. The arguments have the types of the
    /// parameters. `range` is the range of the call.
    typealias Build = @Sendable (_ arguments: [Code], _ range: Range<Int>) -> Code
    /// The same for a function that may read its arguments many times. Within a macro, the code charges steps
    /// for that in the slot `meter`.
    typealias MeteredBuild = @Sendable (_ arguments: [Code], _ range: Range<Int>, _ meter: Int?) -> Code

    /// The types of the parameters. `.dynamic` accepts any type, also inside a list or map.
    let parameters: [ExpressionType]
    /// The type of the result for arguments of these types.
    let result: @Sendable ([ExpressionType]) -> ExpressionType
    let build: MeteredBuild

    init(_ parameters: [ExpressionType], _ result: ExpressionType, build: @escaping Build) {
        self.init(parameters, resultOf: { _ in result }, build: build)
    }

    init(_ parameters: [ExpressionType], _ result: ExpressionType, metered build: @escaping MeteredBuild) {
        (self.parameters, self.result, self.build) = (parameters, { _ in result }, build)
    }

    /// A function on boxed values. It suits functions that cost more than boxing their arguments.
    init(
        values parameters: [ExpressionType], _ result: ExpressionType,
        of function: @escaping @Sendable ([Value], Range<Int>) throws(EvaluationFault) -> Value
    ) {
        self.init(parameters, result) { arguments, range in
            Code(unboxing: Self.evaluating(arguments, range, function), as: result, at: range)
        }
    }

    /// The value of a function of the arguments' values.
    static func evaluating(
        _ arguments: [Code], _ range: Range<Int>,
        _ function: @escaping @Sendable ([Value], Range<Int>) throws(EvaluationFault) -> Value
    ) -> Operand<Value> {
        let arguments = arguments.map { $0.boxed(at: range).computation }
        return .computing { frame throws(EvaluationFault) in
            var values: [Value] = []
            values.reserveCapacity(arguments.count)
            for argument in arguments { values.append(try argument(frame)) }
            return try function(values, range)
        }
    }

    init(
        _ parameters: [ExpressionType],
        resultOf result: @escaping @Sendable ([ExpressionType]) -> ExpressionType,
        build: @escaping Build
    ) {
        (self.parameters, self.result) = (parameters, result)
        self.build = { arguments, range, _ in build(arguments, range) }
    }

    /// All functions and operators by name. The name of a method begins with a dot. The name of an operator
    /// is its symbol.
    static let table: [String: [Overload]] = {
        var table: [String: [Overload]] = [:]
        for part in [
            arithmetic, comparisons, conversions, collections, texts, times, accessors, types, patterns,
            positions,
            rewriting, math, bits, lists, encoders, optionals, network, searches, data,
        ] {
            table.merge(part) { $0 + $1 }
        }
        return table
    }()

    /// True when the function parses its second argument: a regular expression or the name of a time zone.
    static func readsText(_ key: String) -> Bool { takesPattern(key) || accessors[key] != nil }

    /// True when the second argument is a regular expression.
    static func takesPattern(_ key: String) -> Bool { patterns[key] != nil || searches[key] != nil }

    /// The functions that read little of an argument, whatever its size.
    static let skimming: Set<String> = [
        "size", ".size", ".first", ".last", ".hasValue", ".value", ".or", ".orValue",
    ]
    /// The functions whose arguments say nothing of how much they make.
    static let making: Set<String> = [range, ".first", ".last"]

    /// The namespaces of functions, such as `math` in `math.ceil`.
    static let namespaces: Set<String> = [
        "base64", "cel", "csv", "ip", "json", "lists", "math", "optional", "regex", "sets", "strings",
    ]

    /// The names of types, which are also values in CEL.
    static let typeNames: Set<String> = [
        "bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type",
        timestampName, durationName, optionalName, ExpressionType.ip.name, ExpressionType.cidr.name,
    ]

    /// The first parts of names of types with dots, such as `net` of `net.IP`.
    static let typeRoots = Set(typeNames.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })

    static let timestampName = "google.protobuf.Timestamp"
    static let durationName = "google.protobuf.Duration"
    static let optionalName = "optional_type"
}

extension ExpressionType {
    /// True when a parameter of this type accepts a value of `type` without conversion.
    func accepts(_ type: ExpressionType) -> Bool {
        switch (self, type) {
        case (.dynamic, _): true
        case (.list(let element), .list(let other)), (.optionalValue(let element), .optionalValue(let other)):
            element.accepts(other)
        case (.map(let key, let value), .map(let otherKey, let other)):
            key.accepts(otherKey) && value.accepts(other)
        default: self == type
        }
    }
}

extension Overload {
    /// `type`, and `dyn`, which makes the type unknown until evaluation.
    static let types: [String: [Overload]] = [
        "type": [Overload(values: [.dynamic], .type) { arguments, _ in .type(arguments[0].typeName) }],
        "dyn": [
            Overload([.dynamic], .dynamic) { arguments, range in .boxed(arguments[0].boxed(at: range)) }
        ],
    ]
}

extension Value {
    /// The name of the value's type in the expression language.
    fileprivate var typeName: String {
        switch self {
        case .null: "null_type"
        case .timestamp: Overload.timestampName
        case .duration: Overload.durationName
        case .optional: Overload.optionalName
        default: kind
        }
    }
}
