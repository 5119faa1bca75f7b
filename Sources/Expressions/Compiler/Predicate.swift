/// A compiled condition. Several threads may use it.
public struct Predicate: Sendable {
    /// The expression as written.
    public let text: String

    private let test: BoolComputation

    init(text: String, test: BoolComputation) {
        (self.text, self.test) = (text, test)
    }

    /// True when the condition holds for these records. It does not allocate when it reads scalars. It
    /// compares strings with constants in place.
    ///
    /// - Throws: `EvaluationFault` when the condition has no value.
    public func evaluate(_ frame: Frame) throws(EvaluationFault) -> Bool { try test(frame) }
}
