import HostLoop
import Manifest
import Records

/// A feedback of a running loop, and what it was made of.
struct LoopPart {
    enum Kind {
        /// Receives the messages of a gear.
        case receiver
        case effect(EffectFeedback, FeedbackModel, FaultOutlet)
        case apart(ApartFeedback, FeedbackModel, FaultOutlet)
        case delay(DelayFeedback, DelayModel, stateCase: String)
    }

    let kind: Kind
    let feedback: Feedback<Record, AppEvent>

    init(_ kind: Kind, _ feedback: Feedback<Record, AppEvent>) {
        (self.kind, self.feedback) = (kind, feedback)
    }
}
