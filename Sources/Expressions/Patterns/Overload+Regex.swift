import Diagnostics
import Records

extension Overload {
    /// The functions of cel-go that extract and replace the matches of a pattern:
    /// github.com/google/cel-go, ext/regex.go.
    static let searches: [String: [Overload]] = [
        extract: [
            search([], .optionalValue(.string), mostGroups: mostGroups(extract)) {
                search, _ throws(EvaluationFault) in
                guard let match = try search.next() else { return .optional(nil) }
                return .optional(search.extracted(match))
            }
        ],
        extractAll: [
            search([], .list(.string), mostGroups: mostGroups(extractAll)) {
                search, _ throws(EvaluationFault) in
                var values: [Value] = []
                while let match = try search.next() {
                    if let value = search.extracted(match) { values.append(value) }
                }
                return .list(values)
            }
        ],
        replace: [
            search([.string], .string) { search, arguments throws(EvaluationFault) in
                .string(try search.replacing(with: arguments[0].text, atMost: -1))
            },
            search([.string, .int], .string) { search, arguments throws(EvaluationFault) in
                .string(try search.replacing(with: arguments[0].text, atMost: arguments[1].integer))
            },
        ],
    ]

    private static let extract = "regex.extract"
    private static let extractAll = "regex.extractAll"
    static let replace = "regex.replace"

    /// How many groups the pattern of a function may have.
    static func mostGroups(_ key: String) -> Int { key == extract || key == extractAll ? 1 : .max }

    /// A function of a text, a pattern and other parameters.
    private static func search(
        _ parameters: [ExpressionType], _ result: ExpressionType, mostGroups: Int = .max,
        _ function: @escaping @Sendable (inout RegexSearch, [Value]) throws(EvaluationFault) -> Value
    ) -> Overload {
        Overload(
            [.string, .string] + parameters, result,
            metered: { arguments, range, meter in
                let text = arguments[0].text(at: range).content
                let regex = Regex.compiled(arguments[1].text(at: range), mostGroups: mostGroups, at: range)
                let others = arguments.dropFirst(2).map { $0.boxed(at: range).computation }
                return Code(
                    unboxing: .computing { frame throws(EvaluationFault) in
                        var search = RegexSearch(
                            try regex(frame), in: try text(frame), frame, meter: meter, at: range)
                        var values: [Value] = []
                        for other in others { values.append(try other(frame)) }
                        return try function(&search, values)
                    }, as: result, at: range)
            })
    }
}

extension RegexSearch {
    /// What the group of a match captures, or the match if there is no group; nil if the group is empty.
    fileprivate func extracted(_ match: Regex.Match) -> Value? {
        guard let group = match.groups.first else { return .string(content(match.whole)) }
        return if let group, !group.isEmpty { .string(content(group)) } else { nil }
    }

    /// The text with replaced matches; a negative limit means all of them.
    fileprivate mutating func replacing(
        with replacement: String, atMost limit: Int64
    ) throws(EvaluationFault) -> String {
        var (replaced, start, count): ([UInt8], Int, Int64) = ([], 0, 0)
        // Without a match, it does not matter whether the replacement is valid.
        var parts: Replacement?
        while count != limit, let match = try next() {
            if parts == nil { parts = try Replacement(replacement, groups: regex.groupCount, at: range) }
            replaced += text[start..<match.whole.lowerBound]
            parts?.append(for: match, in: text, to: &replaced)
            try Overload.checkLength(replaced.count, at: range)
            (start, count) = (match.whole.upperBound, count + 1)
        }
        replaced += text[start...]
        try Overload.checkLength(replaced.count, at: range)
        return String(decoding: replaced, as: UTF8.self)
    }
}
