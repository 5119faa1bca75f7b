import Manifest
import Records

/// The state in a case that a transition has just entered, before the transition sets any field.
final class CaseEntrance {
    private struct Carried {
        let source: Int
        let target: Int
        let type: ValueType
    }

    /// The case with all fields at their initial values.
    let initial: Record
    // By the case that the state was in: the fields that carry over.
    private let carried: [[Carried]]

    init(_ index: Int, of loop: LoopModel) {
        initial = loop.initialStates[index]
        let (type, entered) = (loop.stateType, loop.stateType.cases[index])
        let shared = type.fields.filter { $0.name != RecordType.caseField }
            .map { Carried(source: $0.offset, target: $0.offset, type: $0.type) }
        carried = type.cases.map { left in
            shared
                + left.fields.compactMap { field in
                    guard let same = entered.field(field.name), same.type == field.type else { return nil }
                    return Carried(source: field.offset, target: same.offset, type: field.type)
                }
        }
    }

    /// Copies the fields that carry over from the last state into the record at `target`, which is in the
    /// case.
    func carry(from state: Record, to target: UnsafeMutableRawPointer) {
        guard let left = state.caseIndex else { return }
        for field in carried[left] {
            // Safe because both are fields of that type in the cases that the records are in.
            unsafe ValueMemory.assign(
                target + field.target, from: state.unsafeBase + field.source, as: field.type)
        }
    }
}
