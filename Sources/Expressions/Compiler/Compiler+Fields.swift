import Diagnostics
import Records

extension Compiler {
    /// Compiles `operand.field`.
    mutating func compileField(
        _ field: String, at fieldRange: Range<Int>, of operand: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        if mayBePath(operand), let path = path(of: operand), let term = global("\(path).\(field)", syntax) {
            return term
        }
        let base = unwrapped(try compile(operand, selecting: field))
        switch base.type {
        case .record(let record):
            let found = try self.field(field, at: fieldRange, of: record, operand)
            guard case .memory(let location, _) = base.code else {
                // A record from a list literal is boxed.
                return try lookUp(field, in: base, as: ExpressionType(found.type), at: fieldRange, syntax)
            }
            return Term(location.advanced(by: found.offset), found.type, syntax)
        case .map(let key, let value):
            guard key.mayEqual(.string) else { throw noFields(base, field, at: fieldRange) }
            return try lookUp(field, in: base, as: value, at: fieldRange, syntax)
        case .dynamic: return try lookUp(field, in: base, as: .dynamic, at: fieldRange, syntax)
        case .optionalValue: return try optionalField(field, at: fieldRange, of: base, operand, syntax)
        default: throw noFields(base, field, at: fieldRange)
        }
    }

    /// True when a field of `operand` may be a name with dots, of the scope or of a type.
    private func mayBePath(_ operand: Syntax) -> Bool {
        switch operand.kind {
        case .select: true
        case .identifier(let name, _): scope.hasPaths || Overload.typeRoots.contains(name)
        default: scope.hasPaths
        }
    }

    /// The name with dots that a chain of fields forms; nil when a macro's variable hides its first name.
    func path(of syntax: Syntax) -> String? { syntax.path { local($0) != nil } }

    /// Compiles `has(operand.field)`. It is true for an optional that is not null, and for a key that the map
    /// has.
    mutating func compilePresence(
        of field: String, at fieldRange: Range<Int>, in operand: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let base = unwrapped(try compile(operand, selecting: field))
        let code: Code
        switch (base.type, base.code) {
        case (.record(let record), .memory(let location, _)):
            let found = try self.field(field, at: fieldRange, of: record, operand)
            if found.type.isOptional {
                // Safe because an optional begins with its `has`, a bool.
                code = .bool(location.advanced(by: found.offset).operand(Bool.self))
            } else {
                code =
                    unsafe location.fixed == nil ? .bool(location.read { _ in true }) : .bool(.constant(true))
            }
        case (.record(let record), _):
            _ = try self.field(field, at: fieldRange, of: record, operand)
            code = .bool(base.code.boxed(at: base.range).map { ($0[field] ?? .null) != .null })
        case (.map, _), (.dynamic, _):
            let entries = entries(of: base, field, at: fieldRange)
            let found = Operand<Bool>.computing { frame throws(EvaluationFault) in
                Value.lookUp(.string(field), in: try entries(frame).found) != nil
            }
            code = try folded(.bool(found), of: [base], syntax)
        case (.optionalValue, _):
            let found = try optionalField(field, at: fieldRange, of: base, operand, syntax)
            code = try folded(.bool(found.code.boxed(at: base.range).map(\.hasContent)), of: [found], syntax)
        default: throw noFields(base, field, at: fieldRange)
        }
        return Term(type: .bool, code: code, syntax: syntax)
    }

    /// Compiles `operand[index]`.
    mutating func compileIndex(_ operand: Syntax, _ index: Syntax, _ syntax: Syntax) throws(TextFault) -> Term
    {
        let base = unwrapped(try compile(operand))
        let index = try compileIndex(index, of: base)
        switch base.type {
        case .list(let element):
            let position = try self.position(index)
            if case .memory(let location, let stored) = base.code {
                let (location, type) = try self.element(of: location, stored, at: position, index)
                return Term(location, type, syntax)
            }
            if case .parts(let parts) = base.code {
                let code = Code.string(parts.part(at: position, faultAt: index.range))
                return Term(type: .string, code: try folded(code, of: [base, index], syntax), syntax: syntax)
            }
            let (list, compute, range) = (
                base.code.boxed(at: base.range).computation, position.computation, index.range
            )
            let found = Operand<Value>.computing { frame throws(EvaluationFault) in
                guard case .list(let elements) = try list(frame) else {
                    preconditionFailure("the checker lets only lists through")
                }
                let position = try compute(frame)
                guard position >= 0, position < elements.count else {
                    throw outOfBounds(position, elements.count, at: range)
                }
                return elements[Int(position)]
            }
            let code = Code(unboxing: found, as: element, at: syntax.range)
            return Term(type: element, code: try folded(code, of: [base, index], syntax), syntax: syntax)
        case .map(let key, let value):
            try checkKey(index, key)
            return try lookUp(index, in: base, as: value, syntax)
        case .dynamic: return try lookUp(index, in: base, as: .dynamic, syntax)
        case .optionalValue: return try optionalElement(of: base, at: index, syntax)
        default: throw noElements(base, index, dot: ".")
        }
    }

    /// Compiles the index of an element. A fault of it does not count if the base is an optional without a value.
    mutating func compileIndex(_ index: Syntax, of base: Term) throws(TextFault) -> Term {
        guard case .optionalValue = base.type else { return unwrapped(try compile(index)) }
        return unwrapped(
            try conditionally { compiler throws(TextFault) in try compiler.compile(index) })
    }

    /// Checks by its type that a map may have a key.
    func checkKey(_ index: Term, _ key: ExpressionType) throws(TextFault) {
        guard key.mayEqual(index.type) else {
            throw TextFault(
                .wrongType, "the keys of this map are \(key.name), found \(index.type.name)", at: index.range)
        }
    }

    /// The fault of an index of a value without elements. `dot` is how a field of it is written.
    func noElements(_ base: Term, _ index: Term, dot: String) -> TextFault {
        guard case .record(let record) = base.type.within else {
            return TextFault(.wrongType, "\(base.type.name) has no elements", at: base.range)
        }
        let help: String
        if case .string(let name)? = index.constant, record.field(name) != nil {
            help = "write `\(source(base.range))\(dot)\(name)`"
        } else {
            help = "write a field with a dot, as in `\(source(base.range))\(dot)name`"
        }
        return TextFault(.wrongType, "a record has no elements", at: base.range, help: [help])
    }

    func position(_ index: Term) throws(TextFault) -> Operand<Int64> {
        switch index.type {
        case .int: return index.code.intOperand
        case .uint:
            // An index beyond `Int64` is out of bounds too.
            return index.code.uintOperand.map { Int64(clamping: $0) }
        case .dynamic:
            let range = index.range
            return index.code.boxed(at: range).map { value throws(EvaluationFault) in
                try listPosition(value, at: range)
            }
        default:
            throw TextFault(
                .wrongType, "the index of a list must be int, found \(index.type.name)", at: index.range)
        }
    }

    /// The location of an element of a list or array in memory.
    private func element(
        of location: MemoryLocation, _ type: ValueType, at position: Operand<Int64>, _ index: Term
    ) throws(TextFault) -> (MemoryLocation, ValueType) {
        let range = index.range
        switch type {
        case .array(let element, let count):
            if case .int(let known)? = index.constant {
                guard known >= 0, known < count else {
                    let fault = outOfBounds(known, count, at: range)
                    throw TextFault(fault.code, fault.message, at: range)
                }
                return (location.advanced(by: Int(known) * element.stride), element)
            }
            let compute = position.computation
            // Safe because the position is checked against the array's length.
            return unsafe (
                .computed { frame throws(EvaluationFault) in
                    let position = try compute(frame)
                    guard position >= 0, position < count else {
                        throw outOfBounds(position, count, at: range)
                    }
                    return unsafe try location.pointer(in: frame) + Int(position) * element.stride
                }, element
            )
        case .list(let element):
            let compute = position.computation
            // Safe because a list is a pointer and a count, and the position is checked against the count.
            return unsafe (
                .computed { frame throws(EvaluationFault) in
                    let (position, memory) = unsafe (try compute(frame), try location.pointer(in: frame))
                    let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
                    guard position >= 0, position < count else {
                        throw outOfBounds(position, count, at: range)
                    }
                    return unsafe memory.load(as: UnsafeRawPointer.self) + Int(position) * element.stride
                }, element
            )
        default: preconditionFailure("only lists and arrays have elements in memory")
        }
    }

    /// Looks up a field in a boxed map, or in an optional when the value is one at evaluation.
    private func lookUp(
        _ field: String, in base: Term, as type: ExpressionType, at range: Range<Int>, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (key, entries) = (Value.string(field), entries(of: base, field, at: range))
        let found = Operand<Value>.computing { frame throws(EvaluationFault) in
            let (entries, isOptional) = try entries(frame)
            guard let value = Value.lookUp(key, in: entries) else {
                guard isOptional else { throw noSuchKey(key, in: entries, at: range) }
                return .optional(nil)
            }
            return isOptional ? .optional(value) : value
        }
        let code = Code(unboxing: found, as: type, at: syntax.range)
        return Term(type: type, code: try folded(code, of: [base], syntax), syntax: syntax)
    }

    /// Looks up a computed key in a boxed map, or an index when the value is a list at evaluation.
    private func lookUp(
        _ index: Term, in base: Term, as type: ExpressionType, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (container, key) = (
            base.code.boxed(at: base.range).computation, index.code.boxed(at: index.range).computation
        )
        let (range, lookup) = (index.range, lookup(at: index.range, in: base))
        let meter = lookup.meter
        let found = Operand<Value>.computing { frame throws(EvaluationFault) in
            let container = try container(frame)
            switch container {
            case .map(let entries):
                let key = try key(frame)
                try frame.chargeLookUp(in: entries, meter: meter, at: range)
                guard let value = Value.lookUp(key, in: entries) else {
                    throw noSuchKey(key, in: entries, at: range)
                }
                return value
            case .list(let elements):
                let position = try listPosition(try key(frame), at: range)
                guard position >= 0, position < elements.count else {
                    throw outOfBounds(position, elements.count, at: range)
                }
                return elements[Int(position)]
            default: return .optional(try lookup(key, in: container, frame))
            }
        }
        let code = Code(unboxing: found, as: type, at: syntax.range)
        return Term(type: type, code: try folded(code, of: [base, index], syntax), syntax: syntax)
    }

    /// The entries of a boxed map, or those of the map that an optional has.
    func entries(
        of base: Term, _ field: String, at range: Range<Int>
    ) -> Compute<(found: [Value.MapEntry], isOptional: Bool)> {
        let map = base.code.boxed(at: base.range).computation
        let meter = self.meter
        return { frame throws(EvaluationFault) in
            let value = try map(frame)
            guard case .map(let entries) = value else {
                let entries = try entriesOfOptional(value, field, at: range)
                try frame.chargeLookUp(in: entries, meter: meter, at: range)
                return (entries, true)
            }
            try frame.chargeLookUp(in: entries, meter: meter, at: range)
            return (entries, false)
        }
    }

    func field(
        _ name: String, at range: Range<Int>, of record: RecordType, _ operand: Syntax
    ) throws(TextFault) -> RecordType.Field {
        if let field = record.field(name) { return field }
        let (names, owner) = (record.fields.map(\.name), source(operand.range))
        throw TextFault(
            .unknownField, "`\(owner)` has no field `\(name)`", at: range,
            label: names.isEmpty ? "it has no fields" : "it has \(Self.listed(names))",
            help: Self.suggestion(for: name, among: names))
    }

    func noFields(_ base: Term, _ field: String, at range: Range<Int>) -> TextFault {
        TextFault(.unknownField, "\(base.type.name) has no field `\(field)`", at: range)
    }
}

/// The entries of the map that an optional has; empty without a value.
private func entriesOfOptional(
    _ value: Value, _ field: String, at range: Range<Int>
) throws(EvaluationFault) -> [Value.MapEntry] {
    let content: Value
    switch value {
    case .optional(nil): return []
    case .optional(.null?):
        throw EvaluationFault(.nullOperand, "the value is null, so it has no field `\(field)`", at: range)
    case .optional(let inner?): content = inner
    default: content = value
    }
    guard case .map(let entries) = content else {
        throw EvaluationFault(.wrongDynamicType, "\(content.kind) has no field `\(field)`", at: range)
    }
    return entries
}

private func noSuchKey(
    _ key: Value, in entries: [Value.MapEntry], at range: Range<Int>
) -> EvaluationFault {
    EvaluationFault(.noSuchKey, "the map has no key `\(key.json.abridged)`", at: range) {
        guard case .string(let name) = key else { return [] }
        return Compiler.suggestion(
            for: name, among: entries.compactMap { if case .string(let key) = $0.key { key } else { nil } })
    }
}

/// The index in a list that a value gives: a whole number of any type.
func listPosition(_ value: Value, at range: Range<Int>) throws(EvaluationFault) -> Int64 {
    switch value {
    case .int(let position): return position
    case .uint(let position): return Int64(clamping: position)
    case .double(let position):
        if let whole = Int64(exactly: position) { return whole }
        fallthrough
    default:
        throw EvaluationFault(
            .wrongDynamicType, "the index of a list must be int, found \(value.kind)", at: range)
    }
}

func outOfBounds(_ position: Int64, _ size: Int, at range: Range<Int>) -> EvaluationFault {
    EvaluationFault(
        .indexOutOfBounds, "index `\(position)` is outside the list of \(count(size, "element"))", at: range)
}

private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
