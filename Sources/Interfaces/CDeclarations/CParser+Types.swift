import Diagnostics
import Records

// Structures, enumerations and parameter lists.
extension CParser {
    /// `struct NAME`, `struct NAME { … }` or `struct { … }`.
    mutating func structure() throws(Failure) -> CType {
        advance()
        let tag = try self.tag("struct")
        guard at("{") else {
            guard let tag else { throw expected("a name or `{`") }
            return try structure(named: tag)
        }
        if let tag, tags[tag.text] != nil {
            throw fault(
                .declaredTwice, "`struct \(tag.text)` is already declared", at: tag.range,
                help: ["remove one of the declarations"])
        }
        let members = try nested { parser throws(Failure) in try parser.members(of: tag) }
        let structure = CStructure(name: tag?.text ?? "", members: members)
        let type = try limited(.structure(structure), at: tag?.range ?? tokens[position - 1].range)
        if let tag { tags[tag.text] = .structure(structure) }
        structures.append(structure)
        return type
    }

    private func structure(named tag: CToken) throws(Failure) -> CType {
        switch tags[tag.text] {
        case .structure(let found): return .structure(found)
        case .enumeration:
            throw fault(.declaredTwice, "`\(tag.text)` is an enum, not a struct", at: tag.range)
        case nil: return .incomplete(tag.text)
        }
    }

    private mutating func tag(_ keyword: String) throws(Failure) -> CToken? {
        guard current.kind == .word else { return nil }
        guard !Self.keywords.contains(current.text) else { throw expected("a name after `\(keyword)`") }
        defer { advance() }
        return current
    }

    /// The members between braces. After a fault in one member it reads the others, to find their faults too.
    private mutating func members(of tag: CToken?) throws(Failure) -> [(name: String, type: CType)] {
        let open = current.range
        try expect("{")
        var members: [(name: String, type: CType)] = []
        var names: Set<String> = []
        var isRefused = false
        while !at("}") {
            guard current.kind != .end else {
                throw fault(
                    .declarationSyntax, "this `{` is never closed", at: open, help: ["close it with `};`"])
            }
            do throws(Failure) {
                try member(into: &members, &names)
            } catch {
                guard faults.count < Limit.faults else { throw error }
                note(error)
                isRefused = true
                skipMember()
            }
        }
        advance()
        if isRefused { throw .consequence }
        guard !members.isEmpty else {
            throw fault(
                .declarationSyntax, "a struct must have a member", at: open.lowerBound..<end,
                help: ["write `struct \(tag?.text ?? "NAME");` if only pointers refer to it"])
        }
        return members
    }

    private mutating func skipMember() {
        var depth = 0
        while current.kind != .end {
            if at("{") { depth += 1 }
            if at("}") {
                if depth == 0 { return }
                depth -= 1
            }
            let isLast = at(";") && depth == 0
            advance()
            if isLast { return }
        }
    }

    /// One member declaration, which may declare several members.
    private mutating func member(
        into members: inout [(name: String, type: CType)], _ names: inout Set<String>
    ) throws(Failure) {
        let specifiers = try self.specifiers()
        if at(";"), specifiers.declaresTag {
            throw fault(
                .unsupportedType, "a member without a name is not supported",
                help: ["give the member a name"])
        }
        repeat {
            if at(":") { throw refusedBitField() }
            let declarator = try self.declarator(specifiers.type, isConst: specifiers.isConst)
            guard let name = declarator.name else { throw expected("the member's name") }
            if at(":") { throw refusedBitField() }
            guard declarator.parameters == nil else {
                throw fault(.declarationSyntax, "a function cannot be a member", at: name.range)
            }
            let type = try object(declarator, at: name.range)
            try requireSize(of: type, "`\(name.text)` is", at: name.range)
            guard names.insert(name.text).inserted else {
                throw fault(.declaredTwice, "there are two members `\(name.text)`", at: name.range)
            }
            members.append((name.text, try limited(type, at: name.range)))
            guard members.count <= Limit.structureSize else {
                throw fault(
                    .declarationLimit, "a struct can have at most \(Limit.structureSize) members",
                    at: name.range)
            }
        } while take(",")
        try expectSemicolon()
    }

    private func refusedBitField() -> Failure {
        fault(
            .bitField, "bit-fields are not supported: their place in memory depends on the compiler",
            help: ["declare the integer that contains them"])
    }

    // MARK: Enumerations

    /// `enum NAME`, `enum NAME { … }` or `enum { … }`.
    mutating func enumeration() throws(Failure) -> CType {
        advance()
        let tag = try self.tag("enum")
        guard at("{") else {
            guard let tag else { throw expected("a name or `{`") }
            guard case .enumeration(let found) = tags[tag.text] else {
                guard !poisoned.contains(tag.text) else { throw .consequence }
                throw fault(
                    .unknownType, "unknown type `enum \(tag.text)`", at: tag.range,
                    help: ["declare it first, or write `int`"])
            }
            return .enumeration(found)
        }
        if let tag, tags[tag.text] != nil {
            throw fault(
                .declaredTwice, "`\(tag.text)` is already declared", at: tag.range,
                help: ["remove one of the declarations"])
        }
        let open = current.range.lowerBound
        advance()
        var found: [CEnumeration.Constant] = []
        var following: Int64 = 0
        while !at("}") {
            let name = current
            guard name.kind == .word, !Self.keywords.contains(name.text) else {
                throw expected("a constant's name or `}`")
            }
            advance()
            let after = current.range
            let value = take("=") ? try constant() : following
            guard value >= Int64(Int32.min), value <= Int64(UInt32.max) else {
                throw fault(
                    .invalidConstant, "`\(name.text)` is \(value), which does not fit 32 bits",
                    at: after.lowerBound..<max(end, after.upperBound))
            }
            guard constants[name.text] == nil, typedefs[name.text] == nil, functionIndices[name.text] == nil
            else {
                throw fault(.declaredTwice, "`\(name.text)` is already declared", at: name.range)
            }
            constants[name.text] = value
            found.append(CEnumeration.Constant(name: name.text, value: value))
            following = value + 1
            guard take(",") else { break }
        }
        try expect("}")
        guard let least = found.map(\.value).min(), let greatest = found.map(\.value).max() else {
            throw fault(.declarationSyntax, "an enum must have a constant", at: open..<end)
        }
        guard greatest <= Int64(Int32.max) || least >= 0 else {
            throw fault(
                .invalidConstant, "no 32-bit type holds the constants from \(least) to \(greatest)",
                at: open..<end)
        }
        let enumeration = CEnumeration(
            name: tag?.text ?? "", constants: found, integer: greatest > Int64(Int32.max) ? .u32 : .i32)
        if let tag { tags[tag.text] = .enumeration(enumeration) }
        enumerations.append(enumeration)
        return .enumeration(enumeration)
    }

    // MARK: Parameters

    /// A parameter list in parentheses.
    mutating func parameters(of function: CToken?) throws(Failure) -> [CParameter] {
        let open = current.range
        try expect("(")
        if at(")") {
            throw fault(
                .openParameters, "`()` does not say which parameters there are",
                at: open.lowerBound..<current.range.upperBound,
                help: ["write `(void)` for a function without parameters"])
        }
        if at(word: "void"), next.text == ")" {
            advance()
            advance()
            return []
        }
        var parameters: [CParameter] = []
        var names: Set<String> = []
        repeat {
            if at("...") {
                throw fault(
                    .variadicFunction, "functions with a variable number of arguments are not supported",
                    help: ["wrap the call in a C function with fixed parameters"])
            }
            parameters.append(try parameter(parameters.count + 1, &names))
        } while take(",")
        guard take(")") else { throw expected("`,` or `)`") }
        guard parameters.count <= Limit.parameters else {
            throw fault(
                .declarationLimit,
                "the function has \(parameters.count) parameters, but at most \(Limit.parameters) are supported",
                at: open.lowerBound..<end)
        }
        // A generated name must differ from the names that the declaration gives.
        return parameters.enumerated().map { index, parameter in
            guard parameter.name.isEmpty else { return parameter }
            var name = "arg\(index + 1)"
            while names.contains(name) { name += "_" }
            return CParameter(name: name, type: parameter.type, text: parameter.text)
        }
    }

    private mutating func parameter(_ number: Int, _ names: inout Set<String>) throws(Failure) -> CParameter {
        let start = position
        let specifiers = try self.specifiers()
        guard !specifiers.isTypedef else {
            throw fault(
                .declarationSyntax, "`typedef` is not allowed in a parameter", at: tokens[start].range)
        }
        let declarator = try self.declarator(specifiers.type, isConst: specifiers.isConst)
        let range = tokens[start].range.lowerBound..<end
        var type = declarator.type
        if let parameters = declarator.parameters {
            type = .function(CFunctionType(result: type, parameters: parameters))
        }
        switch type {
        case .array(let element, let count):
            type = .pointer(CPointer(to: element, isConst: declarator.isConst, bound: .array(count: count)))
        // C turns a parameter that is a function into a pointer to it.
        case .function: type = try limited(.pointer(CPointer(to: type, isConst: false)), at: range)
        default: break
        }
        let name = declarator.name?.text ?? ""
        try requireSize(
            of: type, name.isEmpty ? "parameter \(number) is" : "parameter `\(name)` is", at: range)
        guard name.isEmpty || names.insert(name).inserted else {
            throw fault(
                .declaredTwice, "there are two parameters `\(name)`", at: declarator.name?.range ?? range)
        }
        return CParameter(name: name, type: type, text: text(from: start, to: position))
    }
}
