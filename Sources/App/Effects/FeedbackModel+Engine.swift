import Expressions
import HostLoop
import Interfaces
import Manifest

extension FeedbackModel {
    /// True when the effect has one answer, and its run may end later than the call that begins it.
    var answersLater: Bool {
        !isCalledDirectly && effect?.isEmitting == false && effect?.signature.callbacks.isEmpty != false
    }

    /// True when an answer may be a message.
    var sendsMessages: Bool {
        variants.contains { variant in
            (variant.batches + (variant.onError.map { [$0] } ?? [])).contains { !$0.messages.isEmpty }
        }
    }

    /// True when the effect is called at once on the loop's executor, and nothing follows a failure.
    var isCalledDirectly: Bool {
        if case .each = trigger { return false }
        // Variants for several cases share no memory of the last arguments.
        let isOneForEachEvent = variants.count == max(1, trigger.events.count)
        // A call whose memory is used again holds the pointers that it has opened longer than its run.
        guard effect?.handles?.opens != true else { return false }
        // A callback reads the state after the call has begun.
        guard effect?.signature.callbacks.isEmpty != false else { return false }
        return isOneForEachEvent && executor == .loop && timing == .none
            && variants.allSatisfy { $0.onError == nil && !$0.usesRunKey }
    }
}

extension FeedbackVariant {
    /// True when an argument or a callback reads the key of its run. A loop that compares arguments does not
    /// know that key yet.
    var usesRunKey: Bool {
        let run = FrameSlot.run.rawValue
        return arguments.contains { $0.reads.contains(run) } || callbacks.contains { $0.reads.contains(run) }
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
