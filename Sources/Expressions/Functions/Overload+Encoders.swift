import Diagnostics
import Records

extension Overload {
    /// The extension of cel-go for base64. Padding may be missing.
    static let encoders: [String: [Overload]] = [
        "base64.encode": [
            Overload(values: [.bytes], .string) { arguments, _ in
                guard case .bytes(let bytes) = arguments[0] else {
                    preconditionFailure("only bytes come here")
                }
                return .string(Base64.encode(bytes))
            }
        ],
        "base64.decode": [
            Overload(values: [.string], .bytes) { arguments, range throws(EvaluationFault) in
                let text = arguments[0].text
                guard let bytes = Base64.decode(text) else {
                    throw EvaluationFault(.invalidText, "`\(text.abridged)` is not base64", at: range)
                }
                return .bytes(bytes)
            }
        ],
    ]
}
