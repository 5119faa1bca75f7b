import Diagnostics
import Records

extension Compiler {
    /// Compiles the write of an expression's value as a value of a type.
    mutating func compileStore(_ syntax: Syntax, as type: ValueType) throws(TextFault) -> Write {
        switch (syntax.kind, type) {
        case (.conditional(let test, let positive, let negative), _):
            let decision = try condition(try compile(test), for: "the condition before `?`").computation
            let (first, second) = try conditionally { compiler throws(TextFault) in
                (
                    try compiler.compileStore(positive, as: type),
                    try compiler.compileStore(negative, as: type)
                )
            }
            // Safe because all writes are made for the same type.
            return Write { frame, memory throws(EvaluationFault) in
                if try decision(frame) {
                    unsafe try first(frame, memory)
                } else {
                    unsafe try second(frame, memory)
                }
            }
        case (.call("orValue", _, let target?, let arguments), _) where arguments.count == 1:
            return try compileStore(of: target, or: arguments[0], syntax, as: type)
        case (.map, .optional(let wrapped)), (.list, .optional(let wrapped)):
            return Self.present(try compileStore(syntax, as: wrapped), type)
        case (.map(let entries), .record(let record)):
            return try compileRecord(entries, record, syntax)
        case (.list(let elements), _) where elements.contains(where: \.isOptionalElement):
            // How many elements there are is known at evaluation.
            return try store(try compile(syntax), as: type)
        case (.list(let elements), .list(let element)):
            return try compileElements(elements, element, as: type)
        case (.list(let elements), .array(let element, let count)):
            guard elements.count == count else {
                throw TextFault(
                    .doesNotConvert,
                    "`\(type.name)` has \(count) elements, but this list has \(elements.count)",
                    at: syntax.range)
            }
            return try compileElements(elements, element, as: type)
        default: return try store(try compile(syntax), as: type)
        }
    }

    /// Compiles the write of `target.orValue(other)`. The optional's value and `other` convert separately.
    private mutating func compileStore(
        of target: Syntax, or other: Syntax, _ syntax: Syntax, as type: ValueType
    ) throws(TextFault) -> Write {
        let optional = try compileOptional(target, for: "`orValue`")
        let (content, slot) = (optional.type.content, frameCount)
        let value = Code(
            unboxing: .field(FieldAddress(slot: slot, offset: 0)), as: content, at: syntax.range)
        let first = try store(Term(type: content, code: value, syntax: syntax), as: type)
        let second = try conditionally { compiler throws(TextFault) in
            try compiler.compileStore(other, as: type)
        }
        let compute = optional.code.boxed(at: target.range).computation
        // Safe because both writes are made for the same type.
        return Write { frame, memory throws(EvaluationFault) in
            guard case .optional(let content?) = try compute(frame) else {
                return unsafe try second(frame, memory)
            }
            try frame.withValues([content], after: slot) { frame throws(EvaluationFault) in
                unsafe try first(frame, memory)
            }
        }
    }

    /// Compiles the write of a computed value.
    func store(_ term: Term, as type: ValueType) throws(TextFault) -> Write {
        if let stored = term.stored, stored.type == type { return Self.copy(stored.location, type) }
        switch (type, term.type) {
        case (.optional(let wrapped), let source):
            return try storeOptional(term, source, wrapped, as: type)
        case (_, .optional): return try store(unwrapped(term), as: type)
        case (_, .dynamic): return try Self.storeBoxed(term, as: type)
        case (_, .optionalValue):
            throw doesNotConvert(term, to: type, help: valueHelp(term))
        case (.bool, .bool):
            let compute = term.code.boolOperand.computation
            // Safe because the memory is a `bool`, one byte.
            return Write { frame, memory throws(EvaluationFault) in
                let value = try compute(frame)
                unsafe memory.storeBytes(of: value ? 1 : 0, as: UInt8.self)
            }
        case (.integer(let integer), .int):
            return try Self.storeInteger(term.code.intOperand, term, integer)
        case (.integer(let integer), .uint):
            return try Self.storeInteger(term.code.uintOperand, term, integer)
        case (.double, .double), (.float, .double):
            return Self.storeDouble(term.code.doubleOperand, as: type)
        case (.double, .int), (.float, .int), (.double, .uint), (.float, .uint):
            let value: Double
            switch term.constant {
            case .int(let number)? where term.isLiteral: value = Double(number)
            case .uint(let number)? where term.isLiteral: value = Double(number)
            default: throw doesNotConvert(term, to: type, help: "write `double(\(source(term.range)))`")
            }
            return Self.storeDouble(.constant(value), as: type)
        case (.integer, .double):
            throw doesNotConvert(
                term, to: type, help: "write `int(\(source(term.range)))`, which removes the fraction")
        case (.string, .bool), (.string, .int), (.string, .uint), (.string, .double), (.string, .bytes),
            (.string, .duration), (.string, .timestamp), (.string, .ip), (.string, .cidr):
            throw doesNotConvert(term, to: type, help: "write `string(\(source(term.range)))`")
        case (.bytes, .string):
            throw doesNotConvert(term, to: type, help: "write `bytes(\(source(term.range)))`")
        case (.string, .string): return Self.storeOctets(term.code, at: term.range)
        case (.bytes, .bytes): return Self.storeOctets(term.code.bytesOperand)
        case (.duration, .duration):
            let compute = term.code.durationOperand.computation
            // Safe because the memory is an `int64_t`.
            return Write { frame, memory throws(EvaluationFault) in
                let value = try compute(frame)
                unsafe memory.storeBytes(of: value, as: Int64.self)
            }
        case (.timestamp, .timestamp): return try Self.storeTimestamp(term)
        case (.enumeration(let enumeration), .string): return try storeMember(term, enumeration)
        case (.record(let record), .record(let other)):
            return try storeRecord(term, record, from: other)
        case (.list(let element), .list): return try storeList(term, element, as: type)
        case (.array(let element, _), .list(let other)):
            try checkElements(of: term, other, as: element)
            return try Self.storeBoxed(term, as: type)
        case (.array(.integer(let integer), _), .string) where integer.size == 1,
            (.array(.integer(let integer), _), .bytes) where integer.size == 1:
            return try Self.storeBoxed(term, as: type)
        case (.pointer, .pointer): return try Self.storeBoxed(term, as: type)
        case (.record, .map):
            // The keys of a map that is not a literal are known only at evaluation.
            return try Self.storeBoxed(term, as: type)
        case (.pointer, .null):
            // Safe because the memory is a pointer.
            return Write { _, memory in unsafe memory.storeBytes(of: 0, as: UInt.self) }
        default: throw doesNotConvert(term, to: type)
        }
    }

    private func storeOptional(
        _ term: Term, _ source: ExpressionType, _ wrapped: ValueType, as type: ValueType
    ) throws(TextFault) -> Write {
        switch source {
        case .null: return Self.absent(type)
        case .dynamic: return try Self.storeBoxed(term, as: type)
        case .optionalValue(.optionalValue):
            throw doesNotConvert(
                term, to: type, help: "write `\(self.source(term.range)).value()`, or `optFlatMap`")
        case .optionalValue(let content):
            guard content.converts(to: type) else { throw doesNotConvert(term, to: type) }
            return try Self.storeBoxed(term, as: type)
        case .optional:
            let write = Self.present(try store(unwrapped(term), as: wrapped), type)
            let compute = term.code.boxed(at: term.range).computation
            let has: BoolComputation
            if case .memory(let location, .optional) = term.code {
                has = location.operand(Bool.self).computation
            } else {
                has = BoolComputation { frame throws(EvaluationFault) in try compute(frame) != .null }
            }
            let clear = Self.absent(type)
            // Safe because all writes are made for the same type.
            return Write { frame, memory throws(EvaluationFault) in
                if try has(frame) {
                    unsafe try write(frame, memory)
                } else {
                    unsafe try clear(frame, memory)
                }
            }
        default: return Self.present(try store(term, as: wrapped), type)
        }
    }

    private func storeMember(_ term: Term, _ enumeration: EnumerationType) throws(TextFault) -> Write {
        if case .string(let text)? = term.constant {
            guard let index = enumeration.index(of: text) else {
                throw notAMember(text, enumeration, at: term.range)
            }
            // Safe because the memory is an enumeration, an `int32_t`.
            return Write { _, memory in unsafe memory.storeBytes(of: index, as: Int32.self) }
        }
        let (text, range) = (term.code.text(at: term.range).content, term.range)
        return Write { frame, memory throws(EvaluationFault) in
            let text = try text(frame)
            guard let index = enumeration.index(of: text) else {
                throw EvaluationFault(
                    .notAMember,
                    "`\(text.abridged)` is not one of `\(ValueType.enumeration(enumeration).name)`", at: range
                )
            }
            unsafe memory.storeBytes(of: index, as: Int32.self)
        }
    }

    private func storeList(_ term: Term, _ element: ValueType, as type: ValueType) throws(TextFault)
        -> Write
    {
        guard case .list(let other) = term.type else { preconditionFailure("a list has elements") }
        if case .memory(let location, .array(let same, let count)) = term.code, same == element {
            // Safe because the location holds `count` elements of the type.
            return Write { frame, memory throws(EvaluationFault) in
                let items = unsafe try location.pointer(in: frame)
                unsafe ValueMemory.storeList(items, count: count, element: element, to: memory)
            }
        }
        try checkElements(of: term, other, as: element)
        return try Self.storeBoxed(term, as: type)
    }

    /// Checks by their types that the elements of a computed value convert.
    private func checkElements(
        of term: Term, _ element: ExpressionType, as type: ValueType
    ) throws(TextFault) {
        guard element.converts(to: type) else { throw doesNotConvert(term, to: .list(type)) }
    }

    func doesNotConvert(_ term: Term, to type: ValueType, help: String? = nil) -> TextFault {
        TextFault(
            .doesNotConvert, "\(term.type.name) does not convert to `\(type.name)`", at: term.range,
            help: help.map { [$0] } ?? [])
    }
}

extension ExpressionType {
    /// True when a computed value of this type may be stored as a value of `type`.
    func converts(to type: ValueType) -> Bool {
        switch (type, self) {
        case (_, .dynamic), (.optional, .null), (.pointer, .null): true
        case (.optional, .optionalValue(.optionalValue)): false
        case (.optional, .optionalValue(let content)): content.converts(to: type)
        case (.optional(let wrapped), _): self.wrapped.converts(to: wrapped)
        case (_, .optional(let wrapped)): wrapped.converts(to: type)
        case (.integer, .int), (.integer, .uint), (.enumeration, .string), (.record, .map): true
        case (.float, .double): true
        case (.array(.integer(let integer), _), .string), (.array(.integer(let integer), _), .bytes):
            integer.size == 1
        case (.list(let element), .list(let other)), (.array(let element, _), .list(let other)):
            other.converts(to: element)
        case (.record(let record), .record(let other)):
            record.fields.count == other.fields.count
                && record.fields.allSatisfy { field in
                    other.field(field.name).map { ExpressionType($0.type).converts(to: field.type) } ?? false
                }
        default: ExpressionType(type) == self
        }
    }
}
