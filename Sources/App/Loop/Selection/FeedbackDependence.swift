import Expressions
import Manifest

/// What may change the answer of a feedback while the state stays in one case.
enum FeedbackDependence {
    /// The feedback does not run in the case.
    case nothing
    /// Each new state.
    case everyState
    /// One of these events, as indices into `LoopModel.events`.
    case events(Set<Int>)
    /// A change of one of these fields of the state; nil: of any field.
    case fields(Set<String>?)

    /// - Parameter stateCase: an index into the cases of the state; nil for a state without cases.
    init(_ feedback: FeedbackModel, in stateCase: Int?) {
        let variants = feedback.variants.filter { $0.case == nil || $0.case == stateCase }
        guard !variants.isEmpty else {
            self = .nothing
            return
        }
        switch feedback.trigger {
        case .state: self = .everyState
        case .events: self = .events(Set(variants.compactMap(\.event)))
        case .change, .each:
            // A feedback without effect compares what it sends.
            let sent = feedback.effect == nil ? variants.flatMap(\.batches).map(\.reads) : []
            let reads = FrameReads(variants.map(\.decisionReads) + sent)
            self =
                reads.contains(FrameSlot.now.rawValue)
                ? .everyState : .fields(reads.fields(of: FrameSlot.state.rawValue))
        }
    }

    init(_ part: LoopPart, in stateCase: Int?) {
        switch part.kind {
        // It has one run for the life of the loop.
        case .receiver: self = .fields([])
        case .declared(let feedback): self.init(feedback.model, in: stateCase)
        case .delay(let delay): self = delay.stateCase == stateCase ? .fields([]) : .nothing
        }
    }
}
