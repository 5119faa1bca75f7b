import CRegex
import Diagnostics

/// A regular expression in RE2's syntax, which takes time linear in the text whatever the pattern.
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
            "`\(pattern.abridged)` is no regular expression: \(unsafe String(cString: reason))",
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
