import CRegex
import Diagnostics
import Records

/// A regular expression in RE2's syntax. For every pattern, the time of a match is linear in the text.
@safe
final class Regex: Sendable {
    // Safe because RE2 expressions may be used from several threads, and this one is freed with its owner.
    private nonisolated(unsafe) let expression: OpaquePointer

    /// - Throws: when the pattern is not valid, or needs more memory than allowed.
    init(_ pattern: String, at range: Range<Int>) throws(EvaluationFault) {
        var pattern = pattern
        // Safe because the bytes are borrowed for the call.
        unsafe expression = pattern.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe regular_expression_create(bytes.baseAddress, bytes.count)
            }
        }
        guard let reason = unsafe regular_expression_error(expression) else { return }
        throw EvaluationFault(
            .invalidPattern,
            "`\(pattern.abridged)` is not a valid regular expression: \(unsafe String(cString: reason))",
            at: range)
    }

    deinit { unsafe regular_expression_destroy(expression) }

    /// True when a part of the text matches.
    func finds(in text: UnsafeRawBufferPointer) -> Bool {
        // Safe because the bytes are borrowed for the call.
        unsafe regular_expression_finds(
            expression, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count) != 0
    }
}

extension Overload {
    /// `matches`, as a function and as a method.
    static let patterns: [String: [Overload]] = ["matches": [matching], ".matches": [matching]]

    /// Compiles a constant pattern once, and any other pattern at each evaluation.
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
