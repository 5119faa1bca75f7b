import Records

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
