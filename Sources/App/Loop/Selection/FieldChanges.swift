import Glibc
import Records

/// The fields of a state that feedbacks read, to find those in which two states differ.
struct FieldChanges {
    private struct Field {
        let offset: Int
        let type: ValueType
        /// The feedbacks that read it, by their places.
        var readers: [Int32]

        var end: Int { offset + type.size }
    }

    // In the order of their offsets.
    private var fields: [Field] = []

    /// - Parameters:
    ///   - stateCase: the case that both states are in; nil for states without cases.
    ///   - readers: what each feedback depends on there.
    init(_ state: RecordType, _ stateCase: Int?, readers: [FeedbackDependence]) {
        let all = state.fields + (stateCase.map { state.cases[$0].fields } ?? [])
        for field in all.sorted(by: { $0.offset < $1.offset }) {
            let places = readers.enumerated().filter { _, dependence in
                guard case .fields(let fields) = dependence else { return false }
                return fields?.contains(field.name) ?? true
            }
            guard !places.isEmpty else { continue }
            fields.append(
                Field(offset: field.offset, type: field.type, readers: places.map { Int32($0.offset) }))
        }
    }

    /// Calls a function with the readers of each field that differs.
    func forEach(from before: Record, to after: Record, _ body: ([Int32]) -> Void) {
        // Safe because both are initialised records of the type, in the case that has the fields.
        let (old, new) = unsafe (before.unsafeBase, after.unsafeBase)
        guard unsafe old != new, !fields.isEmpty else { return }
        unsafe search(0..<fields.count, old, new, body)
    }

    /// Halves what has other bytes until a field is left. So a few changes among many fields take few comparisons.
    private func search(
        _ range: Range<Int>, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ body: ([Int32]) -> Void
    ) {
        let (start, end) = (fields[range.lowerBound].offset, fields[range.upperBound - 1].end)
        guard unsafe memcmp(old + start, new + start, end - start) != 0 else { return }
        guard range.count > 1 else {
            let field = fields[range.lowerBound]
            // Equal texts may lie in different places.
            if unsafe !ValueMemory.equal(old + field.offset, new + field.offset, as: field.type) {
                body(field.readers)
            }
            return
        }
        let middle = range.lowerBound + range.count / 2
        unsafe search(range.lowerBound..<middle, old, new, body)
        unsafe search(middle..<range.upperBound, old, new, body)
    }
}
