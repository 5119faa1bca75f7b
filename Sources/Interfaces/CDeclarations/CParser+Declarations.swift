import Diagnostics

// Declarations: functions and typedefs.
extension CParser {
    /// A declarator: a name with its pointers, bounds or parameters.
    struct Declarator {
        var type: CType
        /// True if the declared object itself is `const`, which matters for the elements of an array.
        var isConst: Bool
        /// The name; nil for a parameter without one.
        var name: CToken?
        /// The parameters of a function; nil for anything else.
        var parameters: [CParameter]?
    }

    /// One declaration with its `;`.
    mutating func declaration() throws(Failure) {
        if take(";") { return }
        let start = position
        try refuseLinkageBlock()
        let specifiers = try self.specifiers()
        if at(";") || current.kind == .end {
            guard specifiers.declaresTag else {
                throw expected("a name")
            }
            return try expectEnd()
        }
        repeat {
            let declarator = try self.declarator(specifiers.type, isConst: specifiers.isConst)
            guard let name = declarator.name else { throw expected("a name") }
            if specifiers.isTypedef {
                try declareTypedef(name, declarator, from: start)
            } else if let parameters = declarator.parameters {
                try declareFunction(name, declarator.type, parameters, from: start)
                guard !at("{") else { return try refuseBody(of: name) }
            } else {
                guard at(";") || at(",") || at("=") || at("[") || current.kind == .end else {
                    throw expected("`(`")
                }
                throw fault(
                    .notAnInterface, "`\(name.text)` is a variable, which cannot be called", at: name.range,
                    help: ["declare functions and the types they use"])
            }
        } while take(",")
        try expectEnd()
    }

    private func refuseLinkageBlock() throws(Failure) {
        guard at(word: "extern"), next.kind == .literal else { return }
        throw fault(
            .notAnInterface, "`extern \(next.text)` is C++",
            at: current.range.lowerBound..<next.range.upperBound,
            help: ["remove it: the declarations are always C"])
    }

    private mutating func refuseBody(of name: CToken) throws(Failure) {
        note(
            fault(
                .notAnInterface, "`\(name.text)` has a body, but only declarations are allowed",
                help: ["end the declaration with `;`"]))
        var depth = 0
        repeat {
            if at("{") { depth += 1 }
            if at("}") { depth -= 1 }
            advance()
        } while depth > 0 && current.kind != .end
    }

    private mutating func declareTypedef(
        _ name: CToken, _ declarator: Declarator, from start: Int
    ) throws(Failure) {
        let type: CType
        if let parameters = declarator.parameters {
            let function = CFunctionType(result: declarator.type, parameters: parameters)
            type = try limited(.function(function), at: name.range)
        } else {
            type = named(try object(declarator, at: name.range), name.text)
        }
        if let earlier = typedefs[name.text] {
            guard earlier == type else {
                throw fault(
                    .declaredTwice, "`\(name.text)` is declared again as another type", at: name.range,
                    label: "first declared as `\(earlier)`", help: ["remove one of the declarations"])
            }
            return
        }
        guard functionIndices[name.text] == nil, constants[name.text] == nil else {
            throw fault(.declaredTwice, "`\(name.text)` is already declared", at: name.range)
        }
        typedefs[name.text] = type
        declaredTypedefs.append(
            CTypedef(
                name: name.text, type: type, range: tokens[start].range.lowerBound..<end,
                text: text(from: start, to: position)))
    }

    /// Gives a structure or enumeration without a tag the name of its typedef.
    private mutating func named(_ type: CType, _ name: String) -> CType {
        switch type {
        case .structure(var structure) where structure.name.isEmpty:
            structure.name = name
            if structures.last?.name.isEmpty == true { structures[structures.count - 1].name = name }
            return .structure(structure)
        case .enumeration(var enumeration) where enumeration.name.isEmpty:
            enumeration.name = name
            if enumerations.last?.name.isEmpty == true { enumerations[enumerations.count - 1].name = name }
            return .enumeration(enumeration)
        default: return type
        }
    }

    private mutating func declareFunction(
        _ name: CToken, _ result: CType, _ parameters: [CParameter], from start: Int
    ) throws(Failure) {
        let range = tokens[start].range.lowerBound..<end
        if result != .void { try requireSize(of: result, "`\(name.text)` returns", at: name.range) }
        if case .array = result {
            throw fault(
                .unsupportedType, "`\(name.text)` returns an array, which C does not allow", at: name.range)
        }
        let function = CFunction(
            name: name.text, result: result, parameters: parameters, range: range,
            text: text(from: start, to: position))
        guard typedefs[name.text] == nil, constants[name.text] == nil else {
            throw fault(.declaredTwice, "`\(name.text)` is already declared", at: name.range)
        }
        if let index = functionIndices[name.text] {
            let earlier = functions[index]
            guard earlier.result == result, earlier.parameters.map(\.type) == parameters.map(\.type) else {
                throw fault(
                    .declaredTwice, "`\(name.text)` is declared again as another function", at: name.range,
                    label: "first declared as `\(earlier.text)`", help: ["remove one of the declarations"])
            }
            return
        }
        functionIndices[name.text] = functions.count
        functions.append(function)
    }

    // MARK: Declarators

    /// Pointers, a name, and array bounds or parameters.
    mutating func declarator(_ base: CType, isConst: Bool) throws(Failure) -> Declarator {
        var declarator = Declarator(type: base, isConst: isConst, name: nil, parameters: nil)
        while at("*") {
            let star = current.range
            advance()
            let (target, isConst) = (declarator.type, declarator.isConst)
            declarator.isConst = false
            var isNullable = false
            while current.kind == .word, let qualifier = Qualifier(current.text) {
                declarator.isConst = declarator.isConst || qualifier == .const
                isNullable = isNullable || qualifier == .nullable
                advance()
            }
            let pointer = CPointer(to: target, isConst: isConst, isNullable: isNullable)
            declarator.type = try limited(.pointer(pointer), at: star)
        }
        if at("(") { return try pointerDeclarator(declarator.type) }
        if current.kind == .word {
            guard !Self.keywords.contains(current.text) else { throw expected("a name") }
            declarator.name = current
            advance()
        }
        if at("(") {
            declarator.parameters = try parameters(of: declarator.name)
        } else if at("[") {
            try bounds(&declarator)
        }
        return declarator
    }

    /// Reads `(*name)(parameters)`: a pointer to a function whose result is `base`. The first parentheses
    /// contain any declarator, for example of a function that returns such a pointer.
    private mutating func pointerDeclarator(_ base: CType) throws(Failure) -> Declarator {
        guard next.text == "*" || next.text == "^" else {
            throw fault(
                .declarationSyntax, "expected a name, found `(`", help: ["write the name without parentheses"]
            )
        }
        let open = position
        var depth = 0
        repeat {
            if at("(") { depth += 1 }
            if at(")") { depth -= 1 }
            advance()
        } while depth > 0 && current.kind != .end
        let range = tokens[open].range.lowerBound..<end
        guard tokens[open + 1].text == "*" else {
            throw fault(
                .functionPointer, "blocks are not supported", at: range,
                help: ["only clang calls them: declare a function that takes a function pointer"])
        }
        guard !at("[") else {
            throw fault(
                .unsupportedType, "pointers to arrays are not supported", at: range,
                help: ["declare a struct that contains the array, and a pointer to it"])
        }
        guard at("(") else { throw expected("`(`", help: ["write the name without parentheses"]) }
        let function = try nested { parser throws(Failure) in
            CFunctionType(result: base, parameters: try parser.parameters(of: nil))
        }
        let behind = position
        position = open + 1
        let type = try limited(.function(function), at: range)
        let declarator = try nested { parser throws(Failure) in
            try parser.declarator(type, isConst: false)
        }
        guard at(")") else { throw expected("`)`") }
        position = behind
        return declarator
    }

    /// Reads bounds: `[2][3]`, or `[]`, `[static 3]`, `[const]` in a parameter list.
    private mutating func bounds(_ declarator: inout Declarator) throws(Failure) {
        let start = current.range.lowerBound
        var counts: [Int?] = []
        while take("[") {
            while current.kind == .word, at(word: "static") || Qualifier(current.text) != nil { advance() }
            let bound = current.range
            if at("]") || (at("*") && next.text == "]") {
                if at("*") { advance() }
                counts.append(nil)
            } else {
                let value = try constant()
                guard value > 0, value <= Limit.structureSize else {
                    throw fault(
                        .invalidConstant, "an array cannot have \(value) elements",
                        at: bound.lowerBound..<end, label: "expected 1 to \(Limit.structureSize)")
                }
                counts.append(Int(value))
            }
            try expect("]")
        }
        for count in counts.dropFirst().reversed() {
            guard let count else {
                throw fault(
                    .declarationSyntax, "only the first bound of an array is optional", at: start..<end)
            }
            try requireSize(of: declarator.type, "the array's elements are", at: start..<end)
            declarator.type = try limited(.array(declarator.type, count: count), at: start..<end)
        }
        try requireSize(of: declarator.type, "the array's elements are", at: start..<end)
        // Outside a parameter list, `object` refuses a missing bound.
        let outer = CPointer(
            to: declarator.type, isConst: declarator.isConst, bound: .array(count: counts[0]))
        declarator.type = try limited(.pointer(outer), at: start..<end)
    }

    /// The type of a declarator outside a parameter list, where an array stays an array.
    mutating func object(_ declarator: Declarator, at range: Range<Int>) throws(Failure) -> CType {
        guard case .pointer(let pointer) = declarator.type, case .array(let count) = pointer.bound else {
            return declarator.type
        }
        guard let count else {
            throw fault(
                .incompleteType, "an array without a bound has no size", at: range,
                help: ["write the number of its elements"])
        }
        return try limited(.array(pointer.pointee, count: count), at: range)
    }
}
