import Expressions
import Manifest
import Records

/// The reducer that a manifest declares, for one running loop. Used on the loop's executor only.
final class DeclarativeReducer {
    let candidates: TransitionTable
    // By event: whether a feedback runs on it. Such an event is handled even when no transition applies.
    private let runsFeedback: [Bool]
    private let frame: ExpressionFrame
    private let takesTime: Bool
    private let stateType: ValueType
    // Values that cannot be computed in place are computed here, before the first field is stored.
    // Safe because one thread at a time uses the reducer.
    @safe @exclusivity(unchecked) private var scratch: Record
    /// The number of times that a transition has entered a case.
    // Safe because one thread at a time uses the reducer.
    @safe @exclusivity(unchecked) private(set) var entries: UInt64 = 0
    /// Whether the last event has entered a case by a transition. The owner clears it for an event that does not come
    /// here.
    // Safe because one thread at a time uses the reducer.
    @safe @exclusivity(unchecked) var hasEntered = false
    /// Says which feedbacks a step concerns; nil for a loop that asks all of them.
    // Safe because one thread at a time uses the reducer.
    @safe @exclusivity(unchecked) var index: FeedbackIndex?

    /// - Parameter takesTime: whether each step takes the time if an expression of the loop reads it.
    ///   Otherwise the caller sets the time.
    init(_ model: LoopModel, frame: ExpressionFrame, takesTime: Bool = true) {
        candidates = TransitionTable(model)
        let named = model.feedbacks.filter { !$0.isDisabled }.flatMap(\.trigger.events)
        runsFeedback = model.events.indices.map(Set(named).contains)
        self.frame = frame
        self.takesTime = takesTime && model.readsNow
        stateType = .record(model.stateType)
        scratch = Record(model.stateType)
    }

    /// Applies the first transition that holds. When none holds, an event that a feedback runs on is handled,
    /// and the state is unchanged; any other event is not handled.
    ///
    /// - Returns: false when the event is ignored or not handled.
    /// - Throws: `RunFault` when an expression has no value, or a value that does not fit or is out of range.
    ///   The state is then unchanged.
    func reduce(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        hasEntered = false
        if takesTime { frame.takeTime() }
        // Safe because state and payload live, and the state is written only after all expressions were
        // evaluated.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event.payload.unsafeBase)
        let answer = unsafe try candidates.first(of: event.index, in: state.unsafeBase) {
            transition, entry throws(RunFault) -> Bool? in
            if transition.condition != nil, !(try transition.condition!.holds(frame)) { return nil }
            if transition.isIgnored { return false }
            if !transition.isEmpty { try apply(transition, to: &state) }
            if index != nil { index!.select(entry: entry) }
            return true
        }
        if let answer { return answer }
        guard runsFeedback[event.index] else { return false }
        index?.select(event: event.index, in: state.caseIndex)
        return true
    }

    private func apply(_ transition: DeclaredTransition, to state: inout Record) throws(RunFault) {
        guard transition.isInPlace else {
            if let entrance = transition.entrance {
                try enter(entrance, by: transition, from: &state)
            } else {
                try change(&state, by: transition)
            }
            return
        }
        // Safe because a store that throws has written nothing, and no other right side reads its field.
        let base = unsafe state.unsafeMutableBase()
        unsafe frame.rebindState(to: UnsafeRawPointer(base))
        unsafe try transition.writer.write(frame, into: base)
    }

    /// Stores new values of fields when all of them are valid.
    private func change(_ state: inout Record, by transition: DeclaredTransition) throws(RunFault) {
        if let index = state.caseIndex, scratch.caseIndex != index { scratch.changeCase(to: index) }
        // Safe because scratch and state have the same type and case, and every field that is assigned was
        // just written.
        unsafe try transition.writer.write(frame, into: scratch.unsafeMutableBase())
        unsafe try transition.check(scratch.unsafeBase)
        unsafe transition.writer.assign(from: scratch.unsafeBase, to: state.unsafeMutableBase())
    }

    /// Makes the state of the entered case: initial values, then the fields that carry over, then the fields
    /// that are set.
    private func enter(
        _ entrance: CaseEntrance, by transition: DeclaredTransition, from state: inout Record
    ) throws(RunFault) {
        // Safe because all are records of the loop's state, and fields are written in the case that has them.
        let target = unsafe scratch.unsafeMutableBase()
        unsafe ValueMemory.assign(target, from: entrance.initial.unsafeBase, as: stateType)
        unsafe entrance.carry(from: state, to: target)
        unsafe try transition.writer.write(frame, into: target)
        unsafe try transition.check(UnsafeRawPointer(target))
        swap(&state, &scratch)
        entries += 1
        hasEntered = true
    }
}

extension Condition {
    /// Whether it holds for the current records of the frame.
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        do { return try predicate.evaluate(frame.frame) } catch { throw RunFault(error, in: source) }
    }
}
