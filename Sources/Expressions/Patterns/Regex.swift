import CRegex
import Diagnostics
import Records

/// A regular expression in RE2's syntax. For every pattern, the time of a match is linear in the text.
@safe
final class Regex: Sendable {
    // Safe because RE2 expressions may be used from several threads, and this one is freed with its owner.
    private nonisolated(unsafe) let expression: OpaquePointer

    /// - Throws: when the pattern is not valid, needs more memory than allowed, or captures more groups than
    ///   `mostGroups`.
    init(_ pattern: String, mostGroups: Int = .max, at range: Range<Int>) throws(EvaluationFault) {
        var pattern = pattern
        // Safe because the bytes are borrowed for the call.
        unsafe expression = pattern.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe regular_expression_create(bytes.baseAddress, bytes.count)
            }
        }
        if let reason = unsafe regular_expression_error(expression) {
            throw EvaluationFault(
                .invalidPattern,
                "`\(pattern.abridged)` is not a valid regular expression: \(unsafe String(cString: reason))",
                at: range)
        }
        guard groupCount <= mostGroups else {
            throw EvaluationFault(
                .invalidPattern,
                "`\(pattern.abridged)` captures \(groupCount) groups, "
                    + "and at most \(mostGroups) can be extracted", at: range
            ) { ["write `(?:…)` for a group that is not extracted"] }
        }
    }

    deinit { unsafe regular_expression_destroy(expression) }

    /// The number of groups that capture a part of the match.
    // Safe because the expression is valid.
    var groupCount: Int { Int(unsafe regular_expression_groups(expression)) }

    /// How much a byte of a text counts when one call searches many times: at least 1.
    ///
    /// RE2 takes some nanoseconds for a byte as long as its automaton fits its memory. If it does not, as for
    /// `[ab](?:.*a[ab]{25}c)?`, a byte takes that long for each sixteenth of the compiled pattern or so.
    // Safe because the expression is valid.
    var weight: Int { max(Int(unsafe regular_expression_size(expression)) / 16, 1) }

    /// True when a part of the text matches.
    func finds(in text: UnsafeRawBufferPointer) -> Bool {
        // Safe because the bytes are borrowed for the call.
        unsafe regular_expression_finds(
            expression, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count) != 0
    }

    /// The first match that begins at or after an index, and the parts that its first groups capture; nil
    /// without a match.
    ///
    /// - Precondition: the pattern has at least this number of groups, and the number is at most 9.
    func find(in text: [UInt8], from start: Int, groups: Int) -> Match? {
        // Safe because text and spans are borrowed for the call. It writes a span for the match and one for each
        // group.
        unsafe withUnsafeTemporaryAllocation(
            of: regular_expression_span.self, capacity: 1 + groups
        ) { spans in
            unsafe spans.initialize(repeating: regular_expression_span(start: -1, end: -1))
            let isFound = unsafe text.withUnsafeBytes { text in
                unsafe regular_expression_find(
                    expression, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, start,
                    spans.baseAddress!, Int32(spans.count)) != 0
            }
            guard isFound else { return nil }
            return unsafe Match(
                whole: spans[0].start..<spans[0].end,
                groups: spans.dropFirst().map { $0.start < 0 ? nil : $0.start..<$0.end })
        }
    }

    /// Where a match is in a text, and what its groups capture; nil for a group that captures nothing.
    struct Match {
        let whole: Range<Int>
        let groups: [Range<Int>?]
    }

    /// Compiles a constant pattern once, and any other pattern at each evaluation.
    static func compiled(
        _ pattern: Octets<String>, mostGroups: Int = .max, at range: Range<Int>
    ) -> Compute<Regex> {
        guard let constant = pattern.constant else {
            let content = pattern.content
            return { frame throws(EvaluationFault) in
                try Regex(try content(frame), mostGroups: mostGroups, at: range)
            }
        }
        do throws(EvaluationFault) {
            let regex = try Regex(constant, mostGroups: mostGroups, at: range)
            return { _ in regex }
        } catch {
            return { _ throws(EvaluationFault) in throw error }
        }
    }
}

extension Overload {
    /// `matches`, as a function and as a method.
    static let patterns: [String: [Overload]] = ["matches": [matching], ".matches": [matching]]

    private static let matching = Overload([.string, .string], .bool) { arguments, range in
        let (text, pattern) = (arguments[0].text(at: range), arguments[1].text(at: range))
        // Safe because the expression reads within the text. A constant pattern needs nothing of the frame.
        if let constant = pattern.constant, let regex = try? Regex(constant, at: range) {
            return unsafe .bool(text.map { text in unsafe regex.finds(in: text) })
        }
        let regex = Regex.compiled(pattern, at: range)
        return .bool(
            .computing { frame throws(EvaluationFault) in
                let regex = try regex(frame)
                return unsafe try text.view(frame).withOctets { text in unsafe regex.finds(in: text) }
            })
    }
}
