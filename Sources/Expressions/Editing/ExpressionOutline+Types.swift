import Records

extension ExpressionOutline {
    /// The type of an operand of the text; nil if it has a fault.
    ///
    /// - Parameters:
    ///   - range: the operand, in UTF-8 offsets.
    ///   - token: the index of a token of the operand, or of one just behind it. The macros around it
    ///     give its variables.
    func type(of range: Range<Int>, at token: Int, in scope: Scope) -> ExpressionType? {
        guard tokens.indices.contains(token), !range.isEmpty else { return nil }
        // A macro's variables have types only inside it, so the operand becomes its result.
        var (wrapped, levels) = (part(range), [MacroCall]())
        for macro in macros[token].reversed() {
            guard let call = call(of: macro, with: wrapped) else { return nil }
            wrapped = call
            levels.append(macro)
        }
        guard var type = try? Expression(wrapped, in: scope).type else { return nil }
        for macro in levels.reversed() where macro.name != "bind" {
            switch type.wrapped {
            case .list(let element): type = element
            case .optionalValue(let content): type = content
            default: return nil
            }
        }
        return type
    }

    private func call(of macro: MacroCall, with body: String) -> String? {
        let target = part(macro.target)
        let names = macro.variables.joined(separator: ", ")
        if macro.name == "bind" {
            guard let value = macro.value else { return nil }
            return "cel.bind(\(names), \(part(value)), \(body))"
        }
        if OptionalMacro(rawValue: macro.name) != nil { return "\(target).optMap(\(names), \(body))" }
        return "\(target).\(macro.variables.count == 2 ? "transformList" : "map")(\(names), \(body))"
    }

    /// The characters in a range.
    func part(_ range: Range<Int>) -> String {
        String(Substring(text.utf8.dropFirst(range.lowerBound).prefix(range.count)))
    }

    /// The type of a path up to one of its parts, as a user reads it; nil if it has a fault.
    package func typeName(of path: Path, upTo part: Int, in scope: Scope) -> String? {
        if !path.isVariable, let type = Self.storedType(path.parts[...part].map(\.name), in: scope) {
            return type.name
        }
        let range = path.parts[0].range.lowerBound..<path.parts[part].range.upperBound
        guard let token = tokens.firstIndex(where: { $0.range == path.parts[part].range }) else { return nil }
        return type(of: range, at: token, in: scope)?.name
    }

    /// The type as the manifest declares it, which says more than that of an expression.
    private static func storedType(_ names: [String], in scope: Scope) -> ValueType? {
        guard let variable = scope.variable(names[0]) else { return nil }
        var type = variable.type
        for name in names.dropFirst() {
            guard case .record(let record) = type, let field = record.field(name) else { return nil }
            type = field.type
        }
        return type
    }
}
