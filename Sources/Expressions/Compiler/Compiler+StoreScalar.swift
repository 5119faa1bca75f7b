import Diagnostics
import Records

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes of single values.
extension Compiler {
    /// Copies a value from a location of the same type. Strings, bytes and lists share their block.
    static func copy(_ location: MemoryLocation, _ type: ValueType) -> Write {
        // Safe because the location and the memory hold a value of the type.
        guard type.isTrivial else {
            return Write { frame, memory throws(EvaluationFault) in
                unsafe ValueMemory.assign(memory, from: try location.pointer(in: frame), as: type)
            }
        }
        // Safe because the location and the memory hold a value of the type.
        let size = type.size
        guard size == 8 else {
            return Write { frame, memory throws(EvaluationFault) in
                unsafe memmove(memory, try location.pointer(in: frame), size)
            }
        }
        return Write { frame, memory throws(EvaluationFault) in
            // A record or an optional of this size may have a smaller alignment.
            let value = unsafe try location.pointer(in: frame).loadUnaligned(as: UInt64.self)
            unsafe memory.storeBytes(of: value, as: UInt64.self)
        }
    }

    static func absent(_ type: ValueType) -> Write {
        // Safe because the memory holds a value of the type before and after.
        Write { _, memory in
            unsafe ValueMemory.destroy(memory, as: type)
            unsafe ValueMemory.initialize(memory, as: type)
        }
    }

    /// Writes the value of an optional and sets its `has`.
    static func present(_ write: Write, _ type: ValueType) -> Write {
        // Safe because an optional is a bool, followed by the value.
        let distance = type.wrappedOffset
        return Write { frame, memory throws(EvaluationFault) in
            unsafe try write(frame, memory + distance)
            unsafe memory.storeBytes(of: 1, as: UInt8.self)
        }
    }

    static func storeInteger<Number: FixedWidthInteger & Scalar>(
        _ operand: Operand<Number>, _ term: Term, _ type: IntegerType
    ) throws(TextFault) -> Write {
        let range = term.range
        @Sendable func doesNotFit(_ value: Number) -> EvaluationFault {
            EvaluationFault(
                .doesNotFit, "`\(value)` does not fit `\(type.rawValue)` (\(type.range))", at: range)
        }
        if let constant = operand.constant {
            let isNegative = constant < 0
            let bits = type.size * 8 - (type.isSigned ? 1 : 0)
            let magnitude = isNegative && type.isSigned ? constant.magnitude - 1 : constant.magnitude
            guard !isNegative || type.isSigned, bits == 64 || magnitude >> bits == 0 else {
                let fault = doesNotFit(constant)
                throw TextFault(fault.code, fault.message, at: range)
            }
        }
        let compute = operand.computation
        // Safe because the memory is an integer of the type.
        return Write { frame, memory throws(EvaluationFault) in
            let value = try compute(frame)
            guard unsafe ValueMemory.storeInteger(value, to: memory, as: type) else {
                throw doesNotFit(value)
            }
        }
    }

    static func storeDouble(_ operand: Operand<Double>, as type: ValueType) -> Write {
        // Safe because the memory is a `double` or a `float`.
        let compute = operand.computation
        guard type == .double else {
            return Write { frame, memory throws(EvaluationFault) in
                let value = try compute(frame)
                unsafe memory.storeBytes(of: Float(value), as: Float.self)
            }
        }
        return Write { frame, memory throws(EvaluationFault) in
            let value = try compute(frame)
            unsafe memory.storeBytes(of: value, as: Double.self)
        }
    }

    /// Writes a string. The names of an enumeration's members are made once and shared.
    static func storeOctets(_ code: Code, at range: Range<Int>) -> Write {
        guard case .member(let enumeration, let location) = code else {
            return storeOctets(code.text(at: range))
        }
        // Safe because the memory is a string, and so is each name.
        let names = enumeration.members.map { OctetBlock($0) }
        return Write { frame, memory throws(EvaluationFault) in
            let index = try Code.memberIndex(location, enumeration, frame, range)
            unsafe ValueMemory.assign(memory, from: names[index].memory, as: .string)
        }
    }

    static func storeOctets<Content>(_ octets: Octets<Content>) -> Write {
        // Safe because the memory is a string or bytes, which have the same layout.
        switch octets {
        case .constant(_, let block):
            return Write { _, memory in unsafe ValueMemory.assign(memory, from: block.memory, as: .string) }
        case .memory(let location): return copy(location, .string)
        case .computed(let compute):
            return Write { frame, memory throws(EvaluationFault) in
                let content = try compute(frame)
                unsafe content.withOctets { unsafe ValueMemory.storeBytes($0, to: memory) }
            }
        }
    }

    static func storeTimestamp(_ term: Term) throws(TextFault) -> Write {
        let range = term.range
        @Sendable func nanoseconds(_ value: Timestamp) throws(EvaluationFault) -> Int64 {
            guard let stored = value.nanosecondsSinceEpoch else {
                throw EvaluationFault(
                    .doesNotFit, "`\(TimeText.rfc3339(value))` does not fit `timestamp` (1677 to 2262)",
                    at: range)
            }
            return stored
        }
        let operand = term.code.timestampOperand
        if let constant = operand.constant {
            do throws(EvaluationFault) { _ = try nanoseconds(constant) } catch {
                throw TextFault(error.code, error.message, at: error.range)
            }
        }
        // Safe because the memory is an `int64_t`.
        let compute = operand.computation
        return Write { frame, memory throws(EvaluationFault) in
            let stored = try nanoseconds(try compute(frame))
            unsafe memory.storeBytes(of: stored, as: Int64.self)
        }
    }
}
