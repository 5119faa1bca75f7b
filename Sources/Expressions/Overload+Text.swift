import Records

extension Overload {
    /// Concatenation and search in strings and bytes.
    // Safe because the functions read within the bytes they are given.
    static let texts: [String: [Overload]] = unsafe [
        "+": [
            Overload([.string, .string], .string) { arguments, range in
                let (left, right) = (
                    arguments[0].text(at: range).content, arguments[1].text(at: range).content
                )
                return .string(.computed { frame throws(EvaluationFault) in try left(frame) + right(frame) })
            },
            Overload([.bytes, .bytes], .bytes) { arguments, _ in
                let (left, right) = (arguments[0].bytesOperand.content, arguments[1].bytesOperand.content)
                return .bytes(.computed { frame throws(EvaluationFault) in try left(frame) + right(frame) })
            },
        ],
        ".startsWith": [search { text, part in unsafe OctetFunction.starts(text, with: part) }],
        ".endsWith": [search { text, part in unsafe OctetFunction.ends(text, with: part) }],
        ".contains": [search { text, part in unsafe OctetFunction.contains(text, part) }],
    ]

    private static func search(
        _ function: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Overload {
        // Safe because the functions read within the bytes they are given.
        Overload([.string, .string], .bool) { arguments, range in
            unsafe .bool(
                Octets.compare(arguments[0].text(at: range), arguments[1].text(at: range), function))
        }
    }
}
