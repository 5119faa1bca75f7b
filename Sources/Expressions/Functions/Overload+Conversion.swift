import Diagnostics
import Records

extension Overload {
    /// The conversions `int uint double string bytes bool`. They fault when the value does not fit.
    static let conversions: [String: [Overload]] = [
        "int": [
            Overload([.int], .int) { arguments, _ in arguments[0] },
            Overload([.uint], .int) { arguments, range in
                .int(
                    arguments[0].uintOperand.map { value throws(EvaluationFault) in
                        guard let result = Int64(exactly: value) else {
                            throw doesNotFit("\(value)", "int", IntegerType.i64, at: range)
                        }
                        return result
                    })
            },
            Overload([.double], .int) { arguments, range in
                .int(
                    arguments[0].doubleOperand.map { value throws(EvaluationFault) in
                        // CEL excludes both ends of the range for a double, so the smallest int does not
                        // convert either.
                        guard value > -0x1p63, value < 0x1p63 else {
                            throw doesNotFit(DoubleText.text(value), "int", IntegerType.i64, at: range)
                        }
                        return Int64(value)
                    })
            },
            Overload([.string], .int) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .int(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        guard let result = Int64(text) else { throw notText(text, of: "an int", at: range) }
                        return result
                    })
            },
            // Seconds since the Unix epoch.
            Overload([.timestamp], .int) { arguments, _ in .int(arguments[0].timestampOperand.map(\.seconds))
            },
        ],
        "uint": [
            Overload([.uint], .uint) { arguments, _ in arguments[0] },
            Overload([.int], .uint) { arguments, range in
                .uint(
                    arguments[0].intOperand.map { value throws(EvaluationFault) in
                        guard let result = UInt64(exactly: value) else {
                            throw doesNotFit("\(value)", "uint", IntegerType.u64, at: range)
                        }
                        return result
                    })
            },
            Overload([.double], .uint) { arguments, range in
                .uint(
                    arguments[0].doubleOperand.map { value throws(EvaluationFault) in
                        guard value >= 0, value < 0x1p64 else {
                            throw doesNotFit(DoubleText.text(value), "uint", IntegerType.u64, at: range)
                        }
                        return UInt64(value)
                    })
            },
            Overload([.string], .uint) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .uint(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        guard let result = UInt64(text), !text.hasPrefix("+") else {
                            throw notText(text, of: "a uint", at: range)
                        }
                        return result
                    })
            },
        ],
        "double": [
            Overload([.double], .double) { arguments, _ in arguments[0] },
            Overload([.int], .double) { arguments, _ in .double(arguments[0].intOperand.map { Double($0) }) },
            Overload([.uint], .double) { arguments, _ in .double(arguments[0].uintOperand.map { Double($0) })
            },
            Overload([.string], .double) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .double(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        guard let result = DoubleText.double(text) else {
                            throw notText(text, of: "a double", at: range)
                        }
                        return result
                    })
            },
        ],
        "string": [
            Overload([.string], .string) { arguments, _ in arguments[0] },
            Overload([.int], .string) { arguments, _ in string(arguments[0].intOperand) { "\($0)" } },
            Overload([.uint], .string) { arguments, _ in string(arguments[0].uintOperand) { "\($0)" } },
            Overload([.bool], .string) { arguments, _ in string(arguments[0].boolOperand) { "\($0)" } },
            Overload([.double], .string) { arguments, _ in
                string(arguments[0].doubleOperand) { DoubleText.text($0) }
            },
            Overload([.duration], .string) { arguments, _ in
                string(arguments[0].durationOperand) { TimeText.duration(nanoseconds: $0) }
            },
            Overload([.timestamp], .string) { arguments, _ in
                string(arguments[0].timestampOperand) { TimeText.rfc3339($0) }
            },
            Overload([.bytes], .string) { arguments, range in
                let content = arguments[0].bytesOperand.content
                return .string(
                    .computed { frame throws(EvaluationFault) in
                        guard let text = String(validating: try content(frame), as: UTF8.self) else {
                            throw EvaluationFault(.invalidText, "the bytes are not UTF-8", at: range)
                        }
                        return text
                    })
            },
        ],
        // `cstring` is not part of CEL. It reads the text in a C array.
        "cstring": [
            Overload(values: [.list(.int)], .string) { values, range throws(EvaluationFault) in
                try text(ofArray: values[0], at: range)
            }
        ],
        "bytes": [
            Overload([.bytes], .bytes) { arguments, _ in arguments[0] },
            Overload([.string], .bytes) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .bytes(.computed { frame throws(EvaluationFault) in [UInt8](try text(frame).utf8) })
            },
        ],
        "bool": [
            Overload([.bool], .bool) { arguments, _ in arguments[0] },
            Overload([.string], .bool) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .bool(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        switch text {
                        case "1", "t", "T", "true", "TRUE", "True": return true
                        case "0", "f", "F", "false", "FALSE", "False": return false
                        default: throw notText(text, of: "a bool", at: range)
                        }
                    })
            },
        ],
    ]

    /// The text before the first NUL in a list of bytes, which may be signed or unsigned.
    private static func text(ofArray list: Value, at range: Range<Int>) throws(EvaluationFault) -> Value {
        var bytes: [UInt8] = []
        for element in elements(list) {
            guard case .int(let number) = element else { preconditionFailure("a list of integers") }
            guard number >= -128, let byte = UInt8(exactly: number < 0 ? number + 256 : number) else {
                throw EvaluationFault(
                    .invalidText, "`\(number)` is not a byte, so the list is not text", at: range)
            }
            guard byte != 0 else { break }
            bytes.append(byte)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EvaluationFault(.invalidText, "the bytes are not UTF-8", at: range)
        }
        return .string(text)
    }

    private static func string<Scalar>(
        _ operand: Operand<Scalar>, _ describe: @escaping @Sendable (Scalar) -> String
    ) -> Code {
        let compute = operand.computation
        return .string(.computed { frame throws(EvaluationFault) in describe(try compute(frame)) })
    }

    static func notText(_ text: String, of what: String, at range: Range<Int>) -> EvaluationFault {
        EvaluationFault(.invalidText, "`\(text.abridged)` is not the text of \(what)", at: range)
    }

    private static func doesNotFit(
        _ value: String, _ type: String, _ integer: IntegerType, at range: Range<Int>
    ) -> EvaluationFault {
        EvaluationFault(.doesNotFit, "`\(value)` does not fit \(type) (\(integer.range))", at: range)
    }
}

extension String {
    /// The first 40 characters, for messages.
    var abridged: String { count > 40 ? "\(prefix(40))…" : self }
}
