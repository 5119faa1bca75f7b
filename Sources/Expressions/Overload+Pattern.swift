import Records

extension Overload {
    /// `matches`, as a function and as a method.
    static let patterns: [String: [Overload]] = ["matches": [matching], ".matches": [matching]]

    /// A constant pattern is compiled once, any other when it is evaluated.
    private static let matching = Overload([.string, .string], .bool) { arguments, range in
        let (text, pattern) = (arguments[0].text(at: range), arguments[1].text(at: range))
        // Safe because the expression reads within the text.
        if let constant = pattern.constant {
            do throws(EvaluationFault) {
                let regex = try Regex(constant, at: range)
                return unsafe .bool(text.map { text in unsafe regex.finds(in: text) })
            } catch {
                return .bool(.computing { _ throws(EvaluationFault) in throw error })
            }
        }
        let content = pattern.content
        return .bool(
            .computing { frame throws(EvaluationFault) in
                let regex = try Regex(try content(frame), at: range)
                return unsafe try text.view(frame).withOctets { text in unsafe regex.finds(in: text) }
            })
    }
}
