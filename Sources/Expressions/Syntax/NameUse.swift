/// A name that an expression uses.
public struct NameUse: Hashable, Sendable {
    /// The first name of a path, such as `state` in `state.owner.name`.
    public let name: String
    /// The field that the expression reads of it, such as `owner`. Nil if it uses the name as a whole, or asks with
    /// `has` whether there is such a field.
    public let field: String?
}

extension Expression {
    /// The names that it uses, in the order of the text. Left out are variables of macros, names of types, and
    /// namespaces of functions. In a scope without types, a program can find names here that have no value.
    public var names: [NameUse] {
        var names: [NameUse] = []
        syntax.collectNames(without: [], into: &names)
        return names
    }
}

extension Syntax {
    /// Collects the names of this node and the nodes below it.
    ///
    /// - Parameter hidden: the variables of the macros around this node.
    fileprivate func collectNames(without hidden: Set<String>, into names: inout [NameUse]) {
        func collect(_ nodes: [Syntax], hiding variables: [String] = []) {
            for node in nodes { node.collectNames(without: hidden.union(variables), into: &names) }
        }
        switch kind {
        case .literal: break
        case .identifier(let name, _):
            guard path(isHidden: hidden.contains) != nil, !Overload.typeNames.contains(name) else { return }
            names.append(NameUse(name: name, field: nil))
        case .select(let operand, let field, _), .optionalSelect(let operand, let field, _):
            if let path = path(isHidden: hidden.contains), Overload.typeNames.contains(path) { return }
            if case .identifier(let name, _) = operand.kind, operand.path(isHidden: hidden.contains) != nil {
                names.append(NameUse(name: name, field: field))
            } else {
                collect([operand])
            }
        case .presence(let operand, _, _), .negate(let operand), .not(let operand),
            .optionalElement(let operand):
            collect([operand])
        case .call(_, _, let target, let arguments):
            let isNamespace = target?.path(isHidden: hidden.contains).map(Overload.namespaces.contains)
            if let target, isNamespace != true { collect([target]) }
            collect(arguments)
        case .comprehension(_, let target, let variables, let arguments):
            collect([target])
            collect(arguments, hiding: variables)
        case .binding(let variable, let value, let body):
            collect([value])
            collect([body], hiding: [variable])
        case .optionalMap(_, let target, let variable, let body):
            collect([target])
            collect([body], hiding: [variable])
        case .list(let elements): collect(elements)
        case .map(let entries): collect(entries.flatMap { [$0.key, $0.value] })
        case .index(let left, let right), .optionalIndex(let left, let right),
            .binary(_, let left, let right), .and(let left, let right),
            .or(let left, let right):
            collect([left, right])
        case .conditional(let test, let yes, let no): collect([test, yes, no])
        }
    }

    /// The name with dots that a chain of fields forms; nil for another node, or if its first name is hidden.
    ///
    /// - Parameter isHidden: whether a macro's variable has a name.
    func path(isHidden: (String) -> Bool) -> String? {
        switch kind {
        case .identifier(let name, let isRoot): isRoot || !isHidden(name) ? name : nil
        case .select(let operand, let field, _): operand.path(isHidden: isHidden).map { "\($0).\(field)" }
        default: nil
        }
    }
}
