import Diagnostics
import Records

/// Looks up an element that a list or map may not have. The list or map can be the value of an optional, too.
struct OptionalLookup: Sendable {
    /// The slot of the meter; nil without one.
    let meter: Int?
    /// The range of the index.
    let range: Range<Int>
    /// The range of the list or map.
    let baseRange: Range<Int>

    /// The value under a key; nil without such a key, or if the container is an optional without a value. The key
    /// of the latter is not computed.
    ///
    /// - Throws: when the container has no elements.
    func callAsFunction(
        _ key: AnyComputation<Value>, in container: Value, _ frame: Frame
    ) throws(EvaluationFault) -> Value? {
        guard case .optional(let content) = container else {
            return try find(try key(frame), in: container, frame)
        }
        switch content {
        case nil: return nil
        case .null?:
            throw EvaluationFault(.nullOperand, "the value is null, so it has no elements", at: baseRange)
        case let content?: return try find(try key(frame), in: content, frame)
        }
    }

    private func find(_ key: Value, in container: Value, _ frame: Frame) throws(EvaluationFault) -> Value? {
        switch container {
        case .map(let entries):
            try frame.chargeLookUp(in: entries, meter: meter, at: range)
            return Value.lookUp(key, in: entries)
        case .list(let elements):
            let position = try listPosition(key, at: range)
            return position >= 0 && position < elements.count ? elements[Int(position)] : nil
        default:
            throw EvaluationFault(.wrongDynamicType, "\(container.kind) has no elements", at: baseRange)
        }
    }
}

extension Value {
    /// True for an optional that has a value.
    var hasContent: Bool { if case .optional(_?) = self { true } else { false } }
}
