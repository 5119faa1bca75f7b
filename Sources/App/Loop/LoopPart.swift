import HostLoop
import Records

/// A feedback of a running loop, and the object that it was made from.
struct LoopPart {
    enum Kind {
        /// Receives the messages of a gear.
        case receiver
        /// A feedback of the manifest.
        case declared(DeclaredFeedback)
        /// The time of a delayed transition.
        case delay(DelayFeedback)
    }

    let kind: Kind
    let feedback: Feedback<Record, AppEvent>

    init(_ kind: Kind, _ feedback: Feedback<Record, AppEvent>) {
        (self.kind, self.feedback) = (kind, feedback)
    }
}
