import Expressions
import Manifest
import Records

/// The reducer that a manifest declares, for one running loop. Used on the loop's executor only.
final class DeclarativeReducer {
    private let transitions: [[TransitionModel]]
    private let frame: ExpressionFrame
    private let takesTime: Bool
    // Right sides of transitions with several of them are computed here before the first is stored.
    private var scratch: Record
    /// The last event was ignored on purpose.
    private(set) var ignored = false

    init(_ model: LoopModel, frame: ExpressionFrame) {
        transitions = model.transitions
        self.frame = frame
        takesTime = model.readsNow
        scratch = Record(model.stateType)
    }

    /// Applies the first transition that holds; false when none does, or the one that does ignores the event.
    ///
    /// - Throws: `RunFault` when an expression has no value, or one that does not fit; the state is then unchanged.
    func reduce(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        ignored = false
        if takesTime { frame.takeTime() }
        // Safe because state and payload live, and the state is written only after all expressions were evaluated.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event.payload.unsafeBase)
        for transition in transitions[event.index] {
            if let condition = transition.condition, !(try condition.holds(frame)) { continue }
            ignored = transition.isIgnored
            guard !ignored else { return false }
            switch transition.assignments.count {
            case 0: break
            case 1:
                let assignment = transition.assignments[0]
                // A store leaves its target as it was when it throws; it may read the field that it writes only
                // before it writes.
                let base = unsafe state.unsafeMutableBase()
                unsafe frame.bind(.state, to: UnsafeRawPointer(base))
                unsafe try assignment.evaluate(frame, into: base + assignment.offset)
            default: try assign(transition.assignments, to: &state)
            }
            return true
        }
        return false
    }

    private func assign(_ assignments: [Assignment], to state: inout Record) throws(RunFault) {
        // Safe because scratch and state have the same type, and every field named was just stored.
        let computed = unsafe scratch.unsafeMutableBase()
        for assignment in assignments { unsafe try assignment.evaluate(frame, into: computed + assignment.offset) }
        let base = unsafe state.unsafeMutableBase()
        for assignment in assignments {
            unsafe ValueMemory.assign(
                base + assignment.offset, from: computed + assignment.offset, as: assignment.type)
        }
    }
}

extension Condition {
    /// Whether it holds for what the frame means now.
    func holds(_ frame: ExpressionFrame) throws(RunFault) -> Bool { try holds(frame.frame) }

    /// Whether it holds for these records.
    func holds(_ frame: Frame) throws(RunFault) -> Bool {
        do { return try predicate.evaluate(frame) } catch { throw RunFault(error, in: source) }
    }
}

extension Assignment {
    func evaluate(_ frame: ExpressionFrame, into memory: UnsafeMutableRawPointer) throws(RunFault) {
        unsafe try evaluate(frame.frame, into: memory)
    }

    /// Stores the value at `memory`, an initialised value of the field's type.
    func evaluate(_ frame: Frame, into memory: UnsafeMutableRawPointer) throws(RunFault) {
        // Safe because the caller promises the memory.
        do { unsafe try store.evaluate(frame, into: memory) } catch { throw RunFault(error, in: source) }
    }
}
