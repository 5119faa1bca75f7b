import Records

extension ExpressionOutline {
    /// A name that can be written at a position.
    package struct Choice: Hashable, Sendable {
        package enum Kind: Sendable {
            case field, variable, value, function, method, keyword, member
        }

        package let name: String
        package let kind: Kind
        /// Its type, or the form of its calls.
        package let detail: String
    }

    /// The names that can be written at an offset, and the range that such a name replaces.
    package func choices(at offset: Int, in scope: Scope) -> (names: [Choice], range: Range<Int>) {
        // The token that ends at the offset or contains it, and the one before.
        let present = tokens.lastIndex { $0.range.lowerBound < offset && offset <= $0.range.upperBound }
        let before = (tokens.firstIndex { $0.range.upperBound > offset } ?? tokens.count) - 1
        if let present, case .string = tokens[present].kind, !isClosed(present, before: offset) {
            let start = tokens[present].range.lowerBound + 1
            return (members(comparedAt: present, in: scope), start..<max(start, offset))
        }
        guard let present, word(present) != nil else {
            let isMember = present.map { isSymbol(.dot, $0) } ?? false
            let isOptional = present.map { isSymbol(.question, $0) && isSymbol(.dot, $0 - 1) } ?? false
            if isMember || isOptional, let present {
                return (fields(of: isOptional ? present - 1 : present, in: scope), offset..<offset)
            }
            // The macros around the next token are those around this place.
            return (roots(at: before + 1, in: scope), offset..<offset)
        }
        let range = tokens[present].range.lowerBound..<offset
        if let dot = dot(before: present) { return (fields(of: dot, in: scope), range) }
        return (roots(at: present, in: scope), range)
    }

    /// Whether a string has its closing quote before an offset.
    private func isClosed(_ index: Int, before offset: Int) -> Bool {
        let range = tokens[index].range
        guard range.upperBound <= offset, range.count > 1 else { return false }
        let literal = Array(part(range).utf8)
        return literal.last == UInt8(ascii: "'") || literal.last == UInt8(ascii: "\"")
    }

    /// The fields and methods of the operand before a dot.
    private func fields(of dot: Int, in scope: Scope) -> [Choice] {
        guard dot > 0 else { return [] }
        let operand = operandStarts[dot - 1]..<tokens[dot - 1].range.upperBound
        let text = part(operand)
        if let namespace = namespace(text) { return namespace }
        guard let type = type(of: operand, at: dot - 1, in: scope) else { return [] }
        var choices = constants(after: text, in: scope)
        if case .record(let record) = type.wrapped {
            choices += record.fields.map { Choice(name: $0.name, kind: .field, detail: $0.type.name) }
        }
        return choices
            + FunctionDescription.all.filter { $0.isMethod && $0.accepts(type) }.map {
                Choice(name: $0.name, kind: .method, detail: $0.signatures.joined(separator: "\n"))
            }
    }

    /// The functions that begin with a namespace, such as `math`; nil for another text.
    private func namespace(_ text: String) -> [Choice]? {
        guard Overload.namespaces.contains(text) else { return nil }
        return FunctionDescription.all.filter { !$0.isMethod && $0.name.hasPrefix("\(text).") }.map {
            Choice(
                name: String($0.name.dropFirst(text.utf8.count + 1)), kind: .function,
                detail: $0.signatures.joined(separator: "\n"))
        }
    }

    /// The constants with a dot, such as `event.case`.
    private func constants(after text: String, in scope: Scope) -> [Choice] {
        scope.constants.filter { $0.name.hasPrefix("\(text).") }.map {
            Choice(name: String($0.name.dropFirst(text.utf8.count + 1)), kind: .field, detail: "string")
        }
    }

    /// The names with which an operand can begin.
    ///
    /// - Parameter token: the index of the operand's first token, or of the one behind it.
    private func roots(at token: Int, in scope: Scope) -> [Choice] {
        let around = tokens.indices.contains(token) ? macros[token] : openMacros
        let hidden = around.flatMap(\.variables)
        var choices = hidden.map { Choice(name: $0, kind: .variable, detail: "a variable of the macro") }
        choices += scope.variables.filter { !hidden.contains($0.name) }.map {
            Choice(name: $0.name, kind: .variable, detail: $0.type.name)
        }
        choices += scope.bindings.filter { !hidden.contains($0.name) }.map {
            Choice(name: $0.name, kind: .value, detail: $0.expression.type.name)
        }
        choices += FunctionDescription.all.filter { !$0.isMethod && !$0.name.contains(".") }.map {
            Choice(name: $0.name, kind: .function, detail: $0.signatures.joined(separator: "\n"))
        }
        choices += Overload.namespaces.sorted().map {
            Choice(name: $0, kind: .function, detail: "functions that begin with `\($0).`")
        }
        return choices + ["true", "false", "null"].map { Choice(name: $0, kind: .keyword, detail: "") }
    }

    /// A text in quotes that is compared with an operand: `state.mode == 'fast'`.
    package struct ComparedText: Sendable {
        /// The operand as it is written.
        package let operand: String
        package let text: String
        /// The range of the text without its quotes.
        package let range: Range<Int>
    }

    /// The texts that are compared with operands.
    package var comparedTexts: [ComparedText] {
        tokens.indices.compactMap { index in
            guard case .string(let text) = tokens[index].kind, let operand = operand(comparedAt: index),
                tokens[index].range.count == text.utf8.count + 2
            else { return nil }
            let range = tokens[index].range
            return ComparedText(
                operand: operand, text: text, range: range.lowerBound + 1..<range.upperBound - 1)
        }
    }

    /// The operand that a string is compared with: `state.mode` in `state.mode == '…'`.
    private func operand(comparedAt index: Int) -> String? {
        var operand = index - 1
        if isSymbol(.openBracket, operand) || isSymbol(.comma, operand) {
            // In a list: `state.mode in ['…', '…']`.
            while operand > 0, !isSymbol(.openBracket, operand) { operand -= 1 }
            operand -= 1
            guard word(operand) == "in" else { return nil }
        } else if isSymbol(.equal, index + 1) || isSymbol(.notEqual, index + 1) {
            guard word(index + 2) != nil else { return nil }
            var last = index + 2
            while isSymbol(.dot, last + 1), word(last + 2) != nil { last += 2 }
            return part(tokens[index + 2].range.lowerBound..<tokens[last].range.upperBound)
        } else if !isSymbol(.equal, operand), !isSymbol(.notEqual, operand) {
            return nil
        }
        operand -= 1
        guard tokens.indices.contains(operand) else { return nil }
        return part(operandStarts[operand]..<tokens[operand].range.upperBound)
    }

    /// The members of the enumeration that a string is compared with.
    private func members(comparedAt index: Int, in scope: Scope) -> [Choice] {
        guard let operand = operand(comparedAt: index) else { return [] }
        return Self.members(of: operand.split(separator: ".").map(String.init), in: scope).map {
            Choice(name: $0, kind: .member, detail: "")
        }
    }

    private static func members(of path: [String], in scope: Scope) -> [String] {
        if let constant = scope.constants.first(where: { $0.name == path.joined(separator: ".") }) {
            if case .enumeration(let type) = constant.type { return type.members }
            return []
        }
        guard let first = path.first, var type = scope.variable(first)?.type else { return [] }
        for name in path.dropFirst() {
            guard case .record(let record) = type, let field = record.field(name) else { return [] }
            type = field.type
        }
        if case .enumeration(let enumeration) = type { return enumeration.members }
        return []
    }
}
