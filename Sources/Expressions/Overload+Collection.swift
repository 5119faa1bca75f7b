import Records

extension Overload {
    /// `size`, `in` and concatenation of lists.
    static let collections: [String: [Overload]] = [
        "size": sizes,
        ".size": sizes,
        "+": [
            Overload([.list(.dynamic), .list(.dynamic)], resultOf: { $0[0].joined(with: $0[1]) }) {
                arguments, range in
                let (left, right) = (
                    arguments[0].boxed(at: range).computation, arguments[1].boxed(at: range).computation
                )
                return .boxed(
                    .computing { frame throws(EvaluationFault) in
                        .list(try elements(left(frame)) + elements(right(frame)))
                    })
            }
        ],
        "in": [
            Overload([.dynamic, .list(.dynamic)], .bool) { arguments, range in
                .bool(membership(of: arguments[0], in: arguments[1], at: range))
            },
            Overload([.dynamic, .map(key: .dynamic, value: .dynamic)], .bool) { arguments, range in
                let (key, map) = (
                    arguments[0].boxed(at: range).computation, arguments[1].boxed(at: range).computation
                )
                return .bool(
                    .computing { frame throws(EvaluationFault) in
                        Value.lookUp(try key(frame), in: entries(try map(frame))) != nil
                    })
            },
        ],
    ]

    private static let sizes: [Overload] = [
        Overload([.string], .int) { arguments, range in
            // Safe because the function reads within the bytes it is given.
            unsafe .int(
                arguments[0].text(at: range).map { text in unsafe OctetFunction.countCodePoints(text) })
        },
        Overload([.bytes], .int) { arguments, _ in
            unsafe .int(arguments[0].bytesOperand.map { bytes in Int64(bytes.count) })
        },
        Overload([.list(.dynamic)], .int) { arguments, range in
            switch arguments[0] {
            case .place(_, .array(_, let count)): return .int(.constant(Int64(count)))
            // Safe because a list is a pointer and, behind it, the count.
            case .place(let place, .list): return .int(place.advanced(by: 8).operand(Int64.self))
            default: return .int(arguments[0].boxed(at: range).map { Int64(elements($0).count) })
            }
        },
        Overload([.map(key: .dynamic, value: .dynamic)], .int) { arguments, range in
            .int(arguments[0].boxed(at: range).map { Int64(entries($0).count) })
        },
    ]

    /// Compares without boxing when the list is constant, which is the usual case.
    private static func membership(of element: Code, in list: Code, at range: Range<Int>) -> Operand<Bool> {
        if case .list(let values)? = list.constant {
            switch element {
            case .int(let operand):
                let numbers = values.compactMap { if case .int(let number) = $0 { number } else { nil } }
                if numbers.count == values.count { return operand.map { numbers.contains($0) } }
            case .string, .member:
                let texts = values.compactMap {
                    if case .string(let text) = $0 { OctetBlock(text) } else { nil }
                }
                if texts.count == values.count {
                    // Safe because the blocks live as long as the closure.
                    return unsafe element.text(at: range).map { text in
                        texts.contains { unsafe OctetFunction.isEqual($0.bytes, text) }
                    }
                }
            default: break
            }
        }
        let (element, list) = (element.boxed(at: range).computation, list.boxed(at: range).computation)
        return .computing { frame throws(EvaluationFault) in
            let wanted = try element(frame)
            return elements(try list(frame)).contains { wanted.isEqual($0) }
        }
    }

    static func elements(_ value: Value) -> [Value] {
        guard case .list(let elements) = value else {
            preconditionFailure("the checker lets only lists through")
        }
        return elements
    }

    private static func entries(_ value: Value) -> [Value.MapEntry] {
        guard case .map(let entries) = value else {
            preconditionFailure("the checker lets only maps through")
        }
        return entries
    }
}
