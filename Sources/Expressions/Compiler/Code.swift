import Records

/// A compiled expression, by the kind of its value.
///
/// A scalar `ExpressionType` has one fixed case. Other values may lie in memory or be boxed.
enum Code: Sendable {
    case bool(Operand<Bool>)
    case int(Operand<Int64>)
    case uint(Operand<UInt64>)
    case double(Operand<Double>)
    /// Nanoseconds.
    case duration(Operand<Int64>)
    case timestamp(Operand<Timestamp>)
    case string(Octets<String>)
    case bytes(Octets<[UInt8]>)
    /// A stored enumeration. It is a string, except in comparisons.
    case member(EnumerationType, MemoryLocation)
    /// A record, list, array, optional or pointer in memory.
    case memory(MemoryLocation, ValueType)
    /// A list, map, null, optional or address of CEL, or a value whose type is known only at evaluation.
    case boxed(Operand<Value>)
    /// The list that `split` makes. An index makes only the part that it names.
    case parts(TextParts)

    /// The value at a location.
    init(_ location: MemoryLocation, _ type: ValueType) {
        switch type {
        case .bool: self = .bool(location.operand(Bool.self))
        case .integer(.u64): self = .uint(location.operand(UInt64.self))
        case .integer(let integer): self = .int(location.integer(integer))
        case .float:
            // Safe because the location holds a `float`.
            self = unsafe .double(location.read { memory in unsafe Double(memory.load(as: Float.self)) })
        case .double: self = .double(location.operand(Double.self))
        case .duration: self = .duration(location.operand(Int64.self))
        case .timestamp: self = .timestamp(location.operand(Timestamp.self))
        case .string: self = .string(.memory(location))
        case .bytes: self = .bytes(.memory(location))
        case .enumeration(let enumeration): self = .member(enumeration, location)
        case .list, .array, .record, .optional, .pointer: self = .memory(location, type)
        }
    }

    /// A value that is known at load.
    init(_ value: Value) {
        switch value {
        case .bool(let value): self = .bool(.constant(value))
        case .int(let value): self = .int(.constant(value))
        case .uint(let value): self = .uint(.constant(value))
        case .double(let value): self = .double(.constant(value))
        case .duration(let value): self = .duration(.constant(value))
        case .timestamp(let value): self = .timestamp(.constant(value))
        case .string(let value): self = .string(.constant(value))
        case .bytes(let value): self = .bytes(.constant(value))
        case .null, .list, .map, .pointer, .type, .optional, .network: self = .boxed(.constant(value))
        }
    }

    /// The value if it is known at load, otherwise nil.
    var constant: Value? {
        switch self {
        case .bool(let operand): operand.constant.map { .bool($0) }
        case .int(let operand): operand.constant.map { .int($0) }
        case .uint(let operand): operand.constant.map { .uint($0) }
        case .double(let operand): operand.constant.map { .double($0) }
        case .duration(let operand): operand.constant.map { .duration(nanoseconds: $0) }
        case .timestamp(let operand): operand.constant.map { .timestamp($0) }
        case .string(let octets): octets.constant.map { .string($0) }
        case .bytes(let octets): octets.constant.map { .bytes($0) }
        case .member, .memory, .parts: nil
        case .boxed(let operand): operand.constant
        }
    }

    /// The value boxed, for every case.
    func boxed(at range: Range<Int>) -> Operand<Value> {
        switch self {
        case .bool(let operand): return operand.map { .bool($0) }
        case .int(let operand): return operand.map { .int($0) }
        case .uint(let operand): return operand.map { .uint($0) }
        case .double(let operand): return operand.map { .double($0) }
        case .duration(let operand): return operand.map { .duration(nanoseconds: $0) }
        case .timestamp(let operand): return operand.map { .timestamp($0) }
        case .string, .member:
            let content = text(at: range).content
            return .computing { frame throws(EvaluationFault) in .string(try content(frame)) }
        case .bytes(let octets):
            let content = octets.content
            return .computing { frame throws(EvaluationFault) in .bytes(try content(frame)) }
        case .memory(let location, let type):
            // Safe because the location holds a value of the type.
            return unsafe location.read { memory in unsafe ValueMemory.load(memory, as: type) }
        case .boxed(let operand): return operand
        case .parts(let parts): return parts.list
        }
    }

    /// The text of a string or the name of a member.
    ///
    /// - Precondition: the value is a string or a member.
    func text(at range: Range<Int>) -> Octets<String> {
        switch self {
        case .string(let octets): return octets
        case .member(let enumeration, let location):
            return .computed { frame throws(EvaluationFault) in
                enumeration.members[try Self.memberIndex(location, enumeration, frame, range)]
            }
        default: preconditionFailure("the checker lets only strings through")
        }
    }

    /// The index of a stored member.
    ///
    /// - Throws: when the stored number is not the index of a member, which only foreign code can cause.
    static func memberIndex(
        _ location: MemoryLocation, _ enumeration: EnumerationType, _ frame: Frame, _ range: Range<Int>
    ) throws(EvaluationFault) -> Int {
        // Safe because the location holds an enumeration, which is an `int32_t`.
        let index = Int(unsafe try location.pointer(in: frame).load(as: Int32.self))
        guard enumeration.members.indices.contains(index) else {
            let name = ValueType.enumeration(enumeration).name
            throw EvaluationFault(
                .invalidMember, "the stored number `\(index)` is not a member of `\(name)`", at: range)
        }
        return index
    }
}
