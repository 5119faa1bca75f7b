import Diagnostics

extension Parser {
    /// A call of a method, or a macro.
    func method(
        _ name: String, at nameRange: Range<Int>, of target: Syntax, _ arguments: [Syntax]
    ) throws(TextFault) -> SyntaxKind {
        if name == "bind", arguments.count == 3, case .identifier("cel", _) = target.kind {
            let variable = try variable(arguments[0], of: Macro.binding, "a name for the value", "x")
            return .binding(variable, arguments[1], body: arguments[2])
        }
        if let macro = OptionalMacro(rawValue: name), arguments.count == OptionalMacro.argumentCount {
            let variable = try variable(arguments[0], of: name, "a name for the value", "x")
            return .optionalMap(macro, target, name: variable, body: arguments[1])
        }
        guard let macro = Macro(name: name), macro.argumentCounts.contains(arguments.count) else {
            return .call(name, nameRange: nameRange, target: target, arguments)
        }
        let count = macro.variableCount(ofArguments: arguments.count)
        var names: [String] = []
        for argument in arguments.prefix(count) {
            let (what, example) =
                count == 1
                ? ("a name for the element", "x") : ("names for the position and the element", "i, x")
            let variable = try variable(argument, of: name, what, example)
            guard !names.contains(variable) else {
                throw TextFault(.notAName, "`\(name)` needs two different names", at: argument.range)
            }
            names.append(variable)
        }
        return .comprehension(macro, target, names: names, arguments: Array(arguments.dropFirst(count)))
    }

    /// The name of a macro's variable. What it is, and an example, are for the fault of another argument.
    private func variable(
        _ argument: Syntax, of macro: String, _ what: String, _ example: String
    ) throws(TextFault) -> String {
        guard case .identifier(let name, isRoot: false) = argument.kind else {
            throw TextFault(
                .notAName, "`\(macro)` needs \(what) first, such as `\(macro)(\(example), …)`",
                at: argument.range)
        }
        return name
    }
}
