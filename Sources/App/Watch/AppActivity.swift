public import Manifest
public import Records

/// Something that a watched loop did.
public struct AppActivity: Sendable {
    /// One kind of activity, which a client can choose.
    public enum Kind: String, CaseIterable, Sendable {
        /// Steps, and events that no transition handles.
        case steps
        /// Runs of feedbacks.
        case runs
        /// Faults.
        case faults
        /// Messages of gears.
        case gears
    }

    /// A change in the life of a run.
    public struct Run: Sendable {
        /// What happened. The raw value is part of the output for people and programs.
        public enum State: String, Sendable {
            case began, ended, cancelled, withdrawn, late
        }

        /// The feedback's name.
        public let feedback: String
        /// The number of the run among those of its feedback.
        public let number: UInt64
        /// What happened.
        public let state: State
        /// The event that caused the run, or that was withdrawn or came late; nil if the initial state caused the run.
        public let event: String?
        /// How long an ended run lasted; nil if it began before the loop was watched.
        public let took: Duration?
    }

    /// What happened.
    public enum Content: Sendable {
        /// An event made a state. `run` is the number of the feedback's run that emitted it.
        case step(AppStep, run: UInt64?)
        /// The loop made steps that are not kept, because they were too many. `until` is the number of the last one, which
        /// made the state. Of a loop with a key, these are steps of all instances, and the state is nil.
        case gap(steps: UInt64, until: UInt64, state: Record?)
        /// No transition handles an event.
        case unhandled(event: String, payload: Record, origin: String)
        /// A run began or ended.
        case run(Run)
        /// Something failed.
        case fault(AppFault)
        /// A message was sent: the names of the gear and of the message.
        case message(gear: String, message: String, payload: Record)
    }

    /// Its place in the order over all loops, from 1 on.
    public let position: UInt64
    /// The loop, an index into `Manifest.loops`; nil for a message.
    public let loop: Int?
    /// The key of the instance; nil for a loop without a key.
    public let key: LoopKey?
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public let time: Int64
    /// What happened.
    public let content: Content

    /// Its kind.
    public var kind: Kind {
        switch content {
        case .step, .gap, .unhandled: .steps
        case .run: .runs
        case .fault: .faults
        case .message: .gears
        }
    }

    /// How many steps a gap stands for; 0 for anything else.
    public var missedSteps: UInt64 {
        if case .gap(let steps, _, _) = content { steps } else { 0 }
    }
}
