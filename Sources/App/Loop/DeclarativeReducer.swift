import Expressions
import Manifest
import Records

/// The reducer that a manifest declares, for one running loop. Used on the loop's executor only.
final class DeclarativeReducer {
    private let candidates: TransitionTable
    // By event: whether a feedback runs on it, which handles it when no transition does.
    private let runsFeedback: [Bool]
    private let frame: ExpressionFrame
    private let takesTime: Bool
    private let stateType: ValueType
    // What cannot be computed in place is computed here before the first field is stored.
    private var scratch: Record
    /// How often a transition entered a case, anew or for the first time.
    private(set) var entries: UInt64 = 0

    /// - Parameter takesTime: whether each step takes the time, if an expression of the loop reads it; else whoever
    ///   calls sets it.
    init(_ model: LoopModel, frame: ExpressionFrame, takesTime: Bool = true) {
        candidates = TransitionTable(model)
        let named = model.feedbacks.filter { !$0.isDisabled }.flatMap(\.trigger.events)
        runsFeedback = model.events.indices.map(Set(named).contains)
        self.frame = frame
        self.takesTime = takesTime && model.readsNow
        stateType = .record(model.stateType)
        scratch = Record(model.stateType)
    }

    /// Applies the first transition that holds; false when the one that does ignores the event. When none holds, an
    /// event that a feedback runs on is handled and leaves the state as it is; any other is not handled.
    ///
    /// - Throws: `RunFault` when an expression has no value, or one that does not fit or lies out of range; the state is
    ///   then unchanged.
    func reduce(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        if takesTime { frame.takeTime() }
        // Safe because state and payload live, and the state is written only after all expressions were evaluated.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event.payload.unsafeBase)
        let answer = unsafe try candidates.first(of: event.index, in: state.unsafeBase) {
            transition throws(RunFault) -> Bool? in
            if transition.condition != nil, !(try transition.condition!.holds(frame)) { return nil }
            if transition.isIgnored { return false }
            if !transition.isEmpty { try apply(transition, to: &state) }
            return true
        }
        return answer ?? runsFeedback[event.index]
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
        // Safe because a store leaves its field as it was when it throws, before anything else is written, and no other right side reads it.
        let base = unsafe state.unsafeMutableBase()
        unsafe frame.bind(.state, to: UnsafeRawPointer(base))
        unsafe try transition.writer.write(frame, into: base)
    }

    /// Stores new values of fields once all of them are known to be right.
    private func change(_ state: inout Record, by transition: DeclaredTransition) throws(RunFault) {
        if let index = state.caseIndex, scratch.caseIndex != index { scratch.changeCase(to: index) }
        // Safe because scratch and state have the same type and case, and every field that is assigned was just written.
        unsafe try transition.writer.write(frame, into: scratch.unsafeMutableBase())
        unsafe try transition.check(scratch.unsafeBase)
        unsafe transition.writer.assign(from: scratch.unsafeBase, to: state.unsafeMutableBase())
    }

    /// Makes the state of the case that is entered: initial values, over them what carries over, over that what is set.
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
    }
}

extension Condition {
    /// Whether it holds for what the frame means now.
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        do { return try predicate.evaluate(frame.frame) } catch { throw RunFault(error, in: source) }
    }
}
