// The types that a declaration of a header needs, and the text of a declaration.
extension CHeader {
    /// The items of all types that a function needs. Items in `opaque` need no further types.
    func needed(by function: Int, opaque: Set<Int>) -> Set<Int> {
        var found: Set<Int> = []
        var waiting = needs(of: function, isFunction: true)
        while let next = waiting.popLast() {
            guard next != function, found.insert(next).inserted, !opaque.contains(next) else { continue }
            waiting += needs(of: next, isFunction: false)
        }
        return found
    }

    /// The items of standard types. They are compared with the header's declarations, and not written.
    var standardTypedefs: Set<Int> {
        Set(CStandardTypes.typedefs.keys.compactMap { typedefs[$0] })
    }

    func needs(of item: Int, isFunction: Bool) -> [Int] {
        let tokens = expanded(item)
        var needs: [Int] = []
        for (index, token) in tokens.enumerated() where token.isName {
            let before = index > 0 ? tokens[index - 1].text : ""
            switch before {
            case "struct", "union":
                // Behind a pointer, the members matter only in a function's declaration.
                let stars = tokens[(index + 1)...].prefix { $0.text == "*" || $0.isQualifier }
                    .count { $0.text == "*" }
                if stars <= (isFunction ? 1 : 0), let tag = tags["\(before) \(token.text)"] {
                    needs.append(tag)
                }
            case "enum": if let tag = tags["enum \(token.text)"] { needs.append(tag) }
            case _ where isType(at: index, in: tokens):
                guard let typedef = typedefs[token.text] else { continue }
                // A header can define a standard type differently only if the type is a number.
                if CStandardTypes.typedefs[token.text] == nil || isArithmetic(typedef) {
                    needs.append(typedef)
                }
            default: if let constant = constants[token.text] { needs.append(constant) }
            }
        }
        return needs.filter { $0 != item }
    }

    /// True if a type may stand at an index: only qualifiers are between it and the start of a declaration.
    private func isType(at index: Int, in tokens: [CToken]) -> Bool {
        guard let before = tokens[..<index].last(where: { !$0.isQualifier }) else { return true }
        return ["(", ",", ";", "{", "typedef"].contains(before.text)
    }

    private func isArithmetic(_ index: Int) -> Bool {
        expanded(index).dropFirst().dropLast(2).allSatisfy {
            $0.kind == .word && !$0.isName && $0.text != "struct"
        }
    }

    /// The tokens of an item, with typedefs of reserved names (`__time_t`) replaced by their definitions.
    private func expanded(_ index: Int) -> [CToken] { expanded(items[index].tokens, level: 0) }

    private func expanded(_ tokens: [CToken], level: Int) -> [CToken] {
        // The limit stops a malformed header whose typedefs refer to each other.
        guard level < 16 else { return tokens }
        return tokens.enumerated().flatMap { index, token -> [CToken] in
            guard token.text.hasPrefix("__"), token.isName, isType(at: index, in: tokens),
                let typedef = typedefs[token.text]
            else { return [token] }
            let definition = items[typedef].tokens
            let words = definition.dropFirst().dropLast(2)
            guard definition.first?.text == "typedef", words.allSatisfy({ $0.kind == .word }), !words.isEmpty,
                definition[definition.count - 2].text == token.text
            else { return [token] }
            return expanded(Array(words), level: level + 1)
        }
    }

    // MARK: Text

    /// The C text of an item, with a newline at its end. An opaque structure is written without its members.
    func text(of index: Int, isOpaque: Bool) -> String {
        let item = items[index]
        var tokens = expanded(index)
        if isOpaque {
            guard !item.typedefs.isEmpty, let open = tokens.firstIndex(where: { $0.text == "{" }),
                let close = tokens.lastIndex(where: { $0.text == "}" })
            else { return "" }
            let tag =
                tokens[open - 1].text == "struct"
                ? [CToken(kind: .word, text: item.typedefs[0], range: 0..<0)] : []
            tokens.replaceSubrange(open...close, with: tag)
        }
        if !item.functions.isEmpty { tokens = withoutReservedNames(tokens) }
        return CHeaderText.text(of: tokens)
    }

    /// Renames parameters such as `__name` to `name`, because a manifest uses the same names.
    private func withoutReservedNames(_ tokens: [CToken]) -> [CToken] {
        var used = Set(tokens.map(\.text))
        return tokens.enumerated().map { index, token in
            guard token.isName, token.text.hasPrefix("_"), index > 0, index + 1 < tokens.count,
                [",", ")", "["].contains(tokens[index + 1].text), !isType(at: index, in: tokens),
                !["struct", "union", "enum"].contains(tokens[index - 1].text)
            else { return token }
            let name = String(token.text.drop { $0 == "_" })
            guard name.first?.isLetter == true, !CParser.keywords.contains(name), typedefs[name] == nil,
                CStandardTypes.typedefs[name] == nil, used.insert(name).inserted
            else { return token }
            return CToken(kind: .word, text: name, range: token.range)
        }
    }
}

extension CToken {
    fileprivate var isQualifier: Bool { ["const", "volatile", "restrict"].contains(text) }
}

/// Formats declarations, with each member and constant on its own line.
enum CHeaderText {
    static func text(of tokens: [CToken]) -> String {
        var text = ""
        var (braces, parentheses) = (0, 0)
        var isEnumeration: [Bool] = []
        for (index, token) in tokens.enumerated() {
            let before = index > 0 ? tokens[index - 1].text : ""
            if token.text == "}" {
                braces -= 1
                _ = isEnumeration.popLast()
                if !text.hasSuffix("\n") { text += "\n" }
            }
            if text.hasSuffix("\n") {
                text += String(repeating: " ", count: 4 * braces)
            } else if needsSpace(token, behind: before, before: tokens.dropFirst(index + 1).first?.text) {
                text += " "
            }
            text += token.text
            switch token.text {
            case "(": parentheses += 1
            case ")": parentheses -= 1
            case "{":
                braces += 1
                let words = tokens[..<index].suffix(2).map(\.text)
                isEnumeration.append(words.contains("enum"))
                text += "\n"
            case ";" where braces > 0, "," where isEnumeration.last == true && parentheses == 0: text += "\n"
            default: break
            }
        }
        return text + "\n"
    }

    private static func needsSpace(_ token: CToken, behind before: String, before next: String?) -> Bool {
        switch token.text {
        case ",", ";", ")", "]", "[": false
        // `name (*pointer)(…)`, but `function(…)`.
        case "(" where next == "*" && before != "sizeof": before != "*" && before != "("
        case "(": before == "," || before == "=" || CParser.keywords.contains(before) && before != "sizeof"
        case "*": before != "*" && before != "("
        default: !["", "(", "[", "*", "~", "!"].contains(before)
        }
    }
}
