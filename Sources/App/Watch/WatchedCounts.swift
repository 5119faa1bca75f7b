package import HostLoop

/// What a loop did while it was watched, or since its start, in numbers.
public struct WatchedCounts: Sendable {
    /// Where events come from. The raw value is part of the output for people and programs.
    public enum Origin: String, CaseIterable, Sendable {
        case external, feedback, gear, after
    }

    /// What became of events of one origin.
    public struct Events: Hashable, Sendable {
        /// Events that made a state, that no transition handles, that were withdrawn, and that came after the end of
        /// their run.
        public internal(set) var handled = 0, unhandled = 0, withdrawn = 0, late = 0
    }

    /// The runs of one feedback.
    public struct Runs: Sendable {
        /// The feedback's name.
        public let feedback: String
        /// Runs that began, that ended, in order or not, and that were cancelled; failures of the feedback.
        public internal(set) var began = 0, ended = 0, cancelled = 0, failed = 0
        /// Ended runs whose effect failed without a `catch`. `failed` also counts failures of the feedback's condition.
        public internal(set) var failedRuns = 0
        /// How long the runs lasted that ended.
        package internal(set) var times = DurationHistogram()

        /// Runs whose begin was counted, and whose end was not.
        public var open: Int { began - ended - cancelled }

        /// Adds the runs of another feedback.
        public mutating func add(_ other: Runs) {
            (began, ended, cancelled) = (
                began + other.began, ended + other.ended, cancelled + other.cancelled
            )
            (failed, failedRuns) = (failed + other.failed, failedRuns + other.failedRuns)
            times.add(other.times)
        }
    }

    /// Since when the loop is watched, or since its start: nanoseconds since 1970-01-01T00:00:00Z.
    public internal(set) var since: Int64
    /// By origin, in the order of `Origin`.
    public internal(set) var events = [Events](repeating: Events(), count: Origin.allCases.count)
    /// By feedback: the receivers of gears, the feedbacks of the manifest, and delays.
    public internal(set) var runs: [Runs]
}
