/// Something that the loop was given failed; the loop lives on.
public struct LoopFault: Sendable {
    /// What failed.
    public struct Source: Sendable, Hashable {
        private enum Kind: Sendable, Hashable {
            case reducer
            case until
            case trigger(name: String, index: Int)
            case effect(EffectRun)
        }

        private let kind: Kind

        /// The reducer; the event counts as not reduced and the state stays.
        public static let reducer = Source(kind: .reducer)

        /// The condition that ends the loop; it counts as false.
        public static let until = Source(kind: .until)

        /// The filter or the request of the feedback called `name` at place `index`; it counts as rejecting.
        public static func trigger(of name: String, at index: Int) -> Source {
            Source(kind: .trigger(name: name, index: index))
        }

        /// The effect of a feedback; its run is finished.
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

    /// What failed.
    public var source: Source
    /// The last step taken when it failed: for the reducer the one before, for a feedback the one whose state
    /// it was given, or a later one if it ran elsewhere.
    public var step: UInt64
    /// What it threw.
    public var error: any Error

    /// Makes a fault.
    public init(source: Source, step: UInt64, error: any Error) {
        self.source = source
        self.step = step
        self.error = error
    }
}
