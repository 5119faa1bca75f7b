/// The type of a function that pointers refer to, such as a callback's.
///
/// Two such types are equal if result and parameters have equal types. The names of parameters do not count.
public struct CFunctionType: Sendable {
    /// The type of its result.
    public let result: CType
    /// The parameters in order; their names are unique.
    public let parameters: [CParameter]

    init(result: CType, parameters: [CParameter]) { (self.result, self.parameters) = (result, parameters) }

    /// The depth of nested types, including this one.
    var depth: Int { 1 + max(result.depth, parameters.map(\.type.depth).max() ?? 0) }

    /// The same function with other types.
    func mapped(_ change: (CType) -> CType) -> CFunctionType {
        CFunctionType(
            result: change(result),
            parameters: parameters.map { CParameter(name: $0.name, type: change($0.type), text: $0.text) })
    }

    /// The types of the parameters in C: `const int32_t *, void *`.
    var parameterList: String {
        parameters.isEmpty ? "void" : parameters.map(\.type.description).joined(separator: ", ")
    }
}

extension CFunctionType: Hashable {
    /// Whether both have the same types; names do not count.
    public static func == (left: CFunctionType, right: CFunctionType) -> Bool {
        left.result == right.result && left.parameters.map(\.type) == right.parameters.map(\.type)
    }

    /// Hashes the types.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(result)
        for parameter in parameters { hasher.combine(parameter.type) }
    }
}
