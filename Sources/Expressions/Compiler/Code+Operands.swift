import Diagnostics
import Records

// The checker chooses overloads by type, so the case is known when a caller uses one of these.
extension Code {
    var boolOperand: Operand<Bool> {
        guard case .bool(let operand) = self else {
            preconditionFailure("the checker lets only bool through")
        }
        return operand
    }

    var intOperand: Operand<Int64> {
        guard case .int(let operand) = self else { preconditionFailure("the checker lets only int through") }
        return operand
    }

    var uintOperand: Operand<UInt64> {
        guard case .uint(let operand) = self else {
            preconditionFailure("the checker lets only uint through")
        }
        return operand
    }

    var doubleOperand: Operand<Double> {
        guard case .double(let operand) = self else {
            preconditionFailure("the checker lets only double through")
        }
        return operand
    }

    var durationOperand: Operand<Int64> {
        guard case .duration(let operand) = self else {
            preconditionFailure("the checker lets only duration through")
        }
        return operand
    }

    var timestampOperand: Operand<Timestamp> {
        guard case .timestamp(let operand) = self else {
            preconditionFailure("the checker lets only timestamp through")
        }
        return operand
    }

    var bytesOperand: Octets<[UInt8]> {
        guard case .bytes(let octets) = self else {
            preconditionFailure("the checker lets only bytes through")
        }
        return octets
    }

    /// Unboxes a value whose type is known or required.
    ///
    /// - Throws: at evaluation, when the value has another type.
    init(unboxing operand: Operand<Value>, as type: ExpressionType, at range: Range<Int>) {
        @Sendable func mismatch(_ value: Value) -> EvaluationFault {
            value == .null
                ? EvaluationFault(.nullOperand, "the value is null, not \(type.name)", at: range)
                : EvaluationFault(
                    .wrongDynamicType, "the value is \(value.kind), not \(type.name)", at: range)
        }
        switch type {
        case .bool:
            self = .bool(
                operand.map { value throws(EvaluationFault) in
                    guard case .bool(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .int:
            self = .int(
                operand.map { value throws(EvaluationFault) in
                    guard case .int(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .uint:
            self = .uint(
                operand.map { value throws(EvaluationFault) in
                    guard case .uint(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .double:
            self = .double(
                operand.map { value throws(EvaluationFault) in
                    guard case .double(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .duration:
            self = .duration(
                operand.map { value throws(EvaluationFault) in
                    guard case .duration(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .timestamp:
            self = .timestamp(
                operand.map { value throws(EvaluationFault) in
                    guard case .timestamp(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .string:
            let compute = operand.computation
            self = .string(
                .computed { frame throws(EvaluationFault) in
                    let value = try compute(frame)
                    guard case .string(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .bytes:
            let compute = operand.computation
            self = .bytes(
                .computed { frame throws(EvaluationFault) in
                    let value = try compute(frame)
                    guard case .bytes(let found) = value else { throw mismatch(value) }
                    return found
                })
        case .list, .map, .record, .pointer, .null, .optional, .optionalValue, .ip, .cidr, .type, .dynamic:
            self = .boxed(operand)
        }
    }
}
