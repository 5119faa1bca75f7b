import Diagnostics
import Records

extension Overload {
    /// The functions of the math extension, except those on bits.
    static let math: [String: [Overload]] = {
        var table: [String: [Overload]] = [
            "math.ceil": [real { $0.rounded(.up) }],
            "math.floor": [real { $0.rounded(.down) }],
            "math.round": [real { $0.rounded(.toNearestOrAwayFromZero) }],
            "math.trunc": [real { $0.rounded(.towardZero) }],
            "math.isNaN": [test { $0.isNaN }],
            "math.isInf": [test { $0.isInfinite }],
            "math.isFinite": [test { $0.isFinite }],
            "math.abs": [
                Overload([.int], .int) { arguments, range in
                    .int(
                        arguments[0].intOperand.map { value throws(EvaluationFault) in
                            guard value != .min else {
                                throw EvaluationFault(
                                    .overflow, "the magnitude of `\(value)` overflows int", at: range)
                            }
                            return abs(value)
                        })
                },
                Overload([.uint], .uint) { arguments, _ in arguments[0] },
                real { $0.magnitude },
            ],
            "math.sign": [
                Overload([.int], .int) { arguments, _ in .int(arguments[0].intOperand.map { $0.signum() }) },
                Overload([.uint], .uint) { arguments, _ in .uint(arguments[0].uintOperand.map { $0.signum() })
                },
                real { $0.isNaN || $0 == 0 ? $0 : $0 < 0 ? -1 : 1 },
            ],
            "math.sqrt": [
                Overload([.int], .double) { arguments, _ in
                    .double(arguments[0].intOperand.map { Double($0).squareRoot() })
                },
                Overload([.uint], .double) { arguments, _ in
                    .double(arguments[0].uintOperand.map { Double($0).squareRoot() })
                },
                real { $0.squareRoot() },
            ],
        ]
        for (name, comparison) in [
            ("math.greatest", BinaryOperator.greaterOrEqual), ("math.least", .lessOrEqual),
        ] {
            table[name] = extreme(name, comparison)
        }
        return table
    }()

    /// Functions of two arguments that a caller may call with more.
    static let folding: Set<String> = ["math.greatest", "math.least"]

    private static func real(_ function: @escaping @Sendable (Double) -> Double) -> Overload {
        Overload([.double], .double) { arguments, _ in
            .double(arguments[0].doubleOperand.map { function($0) })
        }
    }

    private static func test(_ function: @escaping @Sendable (Double) -> Bool) -> Overload {
        Overload([.double], .bool) { arguments, _ in .bool(arguments[0].doubleOperand.map { function($0) }) }
    }

    /// The smallest or greatest of one number, two numbers or a list. Numbers of different types are compared
    /// by value and keep their types.
    private static func extreme(_ name: String, _ comparison: BinaryOperator) -> [Overload] {
        let numbers: [ExpressionType] = [.int, .uint, .double]
        var overloads = numbers.map { type in Overload([type], type) { arguments, _ in arguments[0] } }
        overloads += [
            Overload([.int, .int], .int) { arguments, _ in
                .int(
                    .combine(
                        arguments[0].intOperand, arguments[1].intOperand,
                        Choice<Int64>(comparison: comparison)))
            },
            Overload([.uint, .uint], .uint) { arguments, _ in
                .uint(
                    .combine(
                        arguments[0].uintOperand, arguments[1].uintOperand,
                        Choice<UInt64>(comparison: comparison))
                )
            },
            Overload([.double, .double], .double) { arguments, _ in
                .double(
                    .combine(
                        arguments[0].doubleOperand, arguments[1].doubleOperand,
                        Choice<Double>(comparison: comparison)))
            },
        ]
        for left in numbers {
            for right in numbers where left != right {
                overloads.append(
                    Overload(values: [left, right], .dynamic) { arguments, _ in
                        arguments[0].chosen(over: arguments[1], comparison)
                    })
            }
        }
        overloads.append(
            Overload(values: [.list(.dynamic)], .dynamic) { arguments, range throws(EvaluationFault) in
                let elements = arguments[0].elements
                guard var best = elements.first else {
                    throw EvaluationFault(.wrongDynamicType, "`\(name)` takes at least one number", at: range)
                }
                for element in elements {
                    guard ["int", "uint", "double"].contains(element.kind) else {
                        throw EvaluationFault(
                            .wrongDynamicType, "`\(name)` takes numbers, but the list has \(element.kind)",
                            at: range)
                    }
                    best = best.chosen(over: element, comparison)
                }
                return best
            })
        return overloads
    }
}

extension Value {
    /// This number when the comparison holds for it and the other number, otherwise the other number.
    fileprivate func chosen(over other: Value, _ comparison: BinaryOperator) -> Value {
        order(with: other).satisfies(comparison) ? self : other
    }

    /// The order of two numbers of any type.
    private func order(with other: Value) -> NumericOrder {
        switch (self, other) {
        case (.int(let a), .int(let b)): NumericOrder(a, b)
        case (.int(let a), .uint(let b)): NumericOrder(a, b)
        case (.int(let a), .double(let b)): NumericOrder(a, b)
        case (.uint(let a), .uint(let b)): NumericOrder(a, b)
        case (.uint(let a), .double(let b)): NumericOrder(a, b)
        case (.double(let a), .double(let b)): NumericOrder(a, b)
        default: other.order(with: self).reversed
        }
    }
}

/// The choice between two numbers of one type by a comparison.
private struct Choice<Number: Comparable & Scalar>: BinaryFunction {
    typealias Left = Number
    typealias Right = Number
    typealias Output = Number

    let comparison: BinaryOperator

    func compile(_ left: some Source<Number>, _ right: some Source<Number>) -> Number.Computation {
        Number.Computation(ChosenSource(left: left, right: right, isGreatest: comparison == .greaterOrEqual))
    }
}

private struct ChosenSource<Left: Source, Right: Source<Left.Output>>: Source where Left.Output: Comparable {
    let left: Left
    let right: Right
    let isGreatest: Bool

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Left.Output {
        let (a, b) = (try left(frame), try right(frame))
        return (isGreatest ? a >= b : a <= b) ? a : b
    }
}
