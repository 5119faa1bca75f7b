/// A failure in user code: the reducer, `until`, a trigger or an effect. The loop continues.
public struct LoopFault: Sendable {
    /// The part that failed.
    public struct Source: Sendable, Hashable {
        private enum Kind: Sendable, Hashable {
            case reducer
            case until
            case trigger(name: String, index: Int)
            case effect(EffectRun)
        }

        private let kind: Kind

        /// The reducer. The event counts as not reduced, and the state does not change.
        public static let reducer = Source(kind: .reducer)

        /// The condition that ends the loop. The failure counts as false.
        public static let until = Source(kind: .until)

        /// The filter or request of the feedback with this name and index. The failure counts as a rejection.
        public static func trigger(of name: String, at index: Int) -> Source {
            Source(kind: .trigger(name: name, index: index))
        }

        /// The effect of a feedback. Its run is finished.
        public static func effect(_ run: EffectRun) -> Source {
            Source(kind: .effect(run))
        }

        /// The name of the feedback whose trigger or effect failed.
        public var feedback: String? {
            switch kind {
            case .reducer, .until: nil
            case .trigger(let name, _): name
            case .effect(let run): run.feedback
            }
        }

        /// The run that failed.
        public var run: EffectRun? {
            guard case .effect(let run) = kind else { return nil }
            return run
        }
    }

    /// The part that failed.
    public var source: Source
    /// The last step that the loop had done at the failure. For the reducer, this is the previous step. For a
    /// feedback, it is the step whose state the feedback got, or a later step if it ran on another executor.
    public var step: UInt64
    /// The error that was thrown.
    public var error: any Error

    /// Makes a fault.
    public init(source: Source, step: UInt64, error: any Error) {
        self.source = source
        self.step = step
        self.error = error
    }
}
