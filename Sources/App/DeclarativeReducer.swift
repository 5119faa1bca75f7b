import Expressions
import Manifest
import Records

/// The reducer that a manifest declares, for one running loop. Used on the loop's executor only.
final class DeclarativeReducer {
    /// One transition, made ready to be applied.
    private final class Transition {
        let condition: Condition?
        let writer: RecordWriter
        let isIgnored: Bool
        let isEmpty: Bool

        init(_ model: TransitionModel) {
            (condition, isIgnored, isEmpty) = (model.condition, model.isIgnored, model.assignments.isEmpty)
            writer = RecordWriter(model.assignments)
        }
    }

    private let transitions: [[Transition]]
    // By event: whether a feedback runs on it, which handles it when no transition does.
    private let runsFeedback: [Bool]
    private let frame: ExpressionFrame
    private let takesTime: Bool
    // Right sides of transitions with several of them are computed here before the first is stored.
    private var scratch: Record

    /// - Parameter takesTime: whether each step takes the time, if an expression of the loop reads it; else whoever
    ///   calls sets it.
    init(_ model: LoopModel, frame: ExpressionFrame, takesTime: Bool = true) {
        transitions = model.transitions.map { $0.map(Transition.init) }
        let named = model.feedbacks.filter { !$0.isDisabled }.flatMap(\.trigger.events)
        runsFeedback = model.events.indices.map(Set(named).contains)
        self.frame = frame
        self.takesTime = takesTime && model.readsNow
        scratch = Record(model.stateType)
    }

    /// Applies the first transition that holds; false when the one that does ignores the event. When none holds, an
    /// event that a feedback runs on is handled and leaves the state as it is; any other is not handled.
    ///
    /// - Throws: `RunFault` when an expression has no value, or one that does not fit; the state is then unchanged.
    func reduce(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        if takesTime { frame.takeTime() }
        // Safe because state and payload live, and the state is written only after all expressions were evaluated.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event.payload.unsafeBase)
        let candidates = transitions[event.index]
        for index in candidates.indices {
            let transition = candidates[index]
            if let condition = transition.condition, !(try condition.holds(frame)) { continue }
            if transition.isIgnored { return false }
            if !transition.isEmpty { try apply(transition.writer, to: &state) }
            return true
        }
        return runsFeedback[event.index]
    }

    private func apply(_ writer: RecordWriter, to state: inout Record) throws(RunFault) {
        guard writer.isInPlace else {
            // Safe because scratch and state have the same type, and every field that is assigned was just written.
            unsafe try writer.write(frame, into: scratch.unsafeMutableBase())
            unsafe writer.assign(from: scratch.unsafeBase, to: state.unsafeMutableBase())
            return
        }
        // Safe because a store leaves its field as it was when it throws, before anything else is written, and no other right side reads it.
        let base = unsafe state.unsafeMutableBase()
        unsafe frame.bind(.state, to: UnsafeRawPointer(base))
        unsafe try writer.write(frame, into: base)
    }
}

extension Condition {
    /// Whether it holds for what the frame means now.
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        do { return try predicate.evaluate(frame.frame) } catch { throw RunFault(error, in: source) }
    }
}
