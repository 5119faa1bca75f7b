import Diagnostics
import Manifest
import Records

/// One transition of a manifest, prepared.
final class DeclaredTransition {
    let condition: Condition?
    let writer: RecordWriter
    let isIgnored: Bool
    /// True when it leaves the state unchanged.
    let isEmpty: Bool
    /// True when it may write into the state itself.
    let isInPlace: Bool
    /// Nil when the state keeps its case.
    let entrance: CaseEntrance?
    /// The case that it enters; nil when the state keeps its case.
    var enteredCase: Int? { model.to }
    /// The names of the fields that it sets.
    var fields: Set<String> { Set(model.assignments.map(\.name)) }
    // The ranges of the fields that it writes.
    private let ranges: [RangeModel]
    private let model: TransitionModel

    init(_ model: TransitionModel, of loop: LoopModel) {
        self.model = model
        (condition, isIgnored) = (model.condition, model.isIgnored)
        writer = RecordWriter(model.assignments)
        entrance = model.to.map { CaseEntrance($0, of: loop) }
        isEmpty = model.assignments.isEmpty && model.to == nil
        ranges = loop.ranges.filter { range in
            // A field that carries over may have another range in the entered case.
            if let to = model.to { return range.stateCase == nil || range.stateCase == to }
            return model.assignments.contains {
                $0.offset == range.field.offset && $0.name == range.field.name
            }
                && (range.stateCase.flatMap { model.from?.contains($0) } ?? true)
        }
        isInPlace = writer.isInPlace && ranges.isEmpty && entrance == nil
    }

    /// Checks that the fields of the new state at `base` are within their ranges.
    func check(_ base: UnsafeRawPointer) throws(RunFault) {
        for range in ranges {
            // Safe because the new state is an initialised record in the case that has the field.
            let value = unsafe ValueMemory.load(base + range.field.offset, as: range.field.type)
            guard !range.contains(value) else { continue }
            let source = model.assignments.first { $0.offset == range.field.offset }?.source.span
            throw RunFault(value, outside: range, at: source ?? model.span)
        }
    }
}
