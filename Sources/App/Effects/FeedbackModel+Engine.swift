import HostLoop
import Interfaces
import Manifest

extension FeedbackModel {
    /// True when the effect is called at once on the loop's executor, and nothing follows a failure.
    var isCalledDirectly: Bool {
        if case .each = trigger { return false }
        // Variants for several cases share no memory of the last arguments.
        let isOneForEachEvent = variants.count == max(1, trigger.events.count)
        // A call whose memory is used again holds the pointers that it has opened longer than its run.
        guard effect?.handles?.opens != true else { return false }
        return isOneForEachEvent && executor == .loop && timing == .none
            && variants.allSatisfy { $0.onError == nil }
    }
}

extension FeedbackTrigger.Strategy {
    /// The strategy of a feedback on states.
    var ofStates: Strategy {
        switch self {
        case .cancelOnNewState: .cancelOnNewState
        case .cancelOnNewMatch: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }

    /// The strategy of a feedback on events.
    var ofEvents: Strategy {
        guard self != .cancelOnNewState else {
            preconditionFailure("a feedback on events cannot cancel on every state")
        }
        return ofStates
    }
}
