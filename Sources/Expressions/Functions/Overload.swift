import Records

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

    /// A function of boxed values, for what costs more than boxing them.
    init(
        values parameters: [ExpressionType], _ result: ExpressionType,
        of function: @escaping @Sendable ([Value], Range<Int>) throws(EvaluationFault) -> Value
    ) {
        self.init(parameters, result) { arguments, range in
            let arguments = arguments.map { $0.boxed(at: range).computation }
            let value = Operand<Value>.computing { frame throws(EvaluationFault) in
                var values: [Value] = []
                values.reserveCapacity(arguments.count)
                for argument in arguments { values.append(try argument(frame)) }
                return try function(values, range)
            }
            return Code(unboxing: value, as: result, at: range)
        }
    }

    init(
        _ parameters: [ExpressionType],
        resultOf result: @escaping @Sendable ([ExpressionType]) -> ExpressionType,
        build: @escaping Build
    ) {
        (self.parameters, self.result, self.build) = (parameters, result, build)
    }

    /// All functions and operators, by name; a method is named with a dot before it, an operator by its
    /// symbol.
    static let table: [String: [Overload]] = {
        var table: [String: [Overload]] = [:]
        for part in [
            arithmetic, comparisons, conversions, collections, texts, times, accessors, types, patterns,
            positions,
            rewriting, math, bits,
        ] {
            table.merge(part) { $0 + $1 }
        }
        return table
    }()

    /// Whether the last argument is compiled or read when it is not known at load.
    static func readsText(_ key: String) -> Bool { patterns[key] != nil || accessors[key] != nil }

    /// What stands before the dot of functions that are no methods.
    static let spaces: Set<String> = ["math", "strings"]

    /// The names of types, which CEL also has as values.
    static let typeNames: Set<String> = [
        "bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type",
        timestampName, durationName,
    ]

    static let timestampName = "google.protobuf.Timestamp"
    static let durationName = "google.protobuf.Duration"
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

extension Overload {
    /// `type`, and `dyn`, which forgets it until the value is known.
    static let types: [String: [Overload]] = [
        "type": [Overload(values: [.dynamic], .type) { arguments, _ in .type(arguments[0].typeName) }],
        "dyn": [
            Overload([.dynamic], .dynamic) { arguments, range in .boxed(arguments[0].boxed(at: range)) }
        ],
    ]
}

extension Value {
    /// The type's name in the expression language.
    fileprivate var typeName: String {
        switch self {
        case .null: "null_type"
        case .timestamp: Overload.timestampName
        case .duration: Overload.durationName
        default: kind
        }
    }
}
