/// A bool expression, ready to be tested again and again; safe to use from several threads.
public struct Predicate: Sendable {
    /// The expression as written.
    public let text: String

    private let test: BoolComputation

    init(text: String, test: BoolComputation) {
        (self.text, self.test) = (text, test)
    }

    /// Whether it holds for these records. Does not allocate when it reads scalars, and compares strings with
    /// constants in place.
    ///
    /// - Throws: `EvaluationFault` when it has no value.
    public func evaluate(_ frame: Frame) throws(EvaluationFault) -> Bool { try test(frame) }
}
