public import Sandbox

/// How the host starts and treats a worker.
public struct WorkerSetup: Sendable {
    /// The program that is started under the hidden verb of workers, an absolute path.
    public var program: String
    /// The worker's name in the log: the plugin's, or that of plugins that share it.
    public var name: String
    /// What it may do. Its `scratch` is set for each process.
    public var policy: SandboxPolicy
    /// The folder in which each process gets a folder of its own, which is its working folder and removed after it.
    public var folder: String
    /// All variables of its environment, besides `TMPDIR`.
    public var environment: [String: String]
    /// The processor time of one call; nil for any.
    public var processorTime: Duration?
    /// How long a call may last after it was cancelled.
    public var cancelGrace: Duration
    /// The restarts after it has ended by itself.
    public var restart: RestartRule
    /// Called before each call of the system that `policy.observation` tells of, on one thread for each process.
    public var onAccess: (@Sendable (Access) -> Void)?

    /// When a worker is started again.
    public struct RestartRule: Hashable, Sendable {
        /// The shortest and the longest wait before a restart. Each wait is twice the one before.
        public var backoff: ClosedRange<Duration>
        /// So many ends within `within` are too many: the worker then rests for the longest wait.
        public var limit: Int
        /// The time in which ends count.
        public var within: Duration

        /// A rule.
        public init(
            backoff: ClosedRange<Duration> = .milliseconds(100) ... .seconds(10), limit: Int = 5,
            within: Duration = .seconds(60)
        ) { (self.backoff, self.limit, self.within) = (backoff, limit, within) }
    }

    /// A worker with the usual rules.
    public init(
        program: String, name: String, policy: SandboxPolicy, folder: String,
        environment: [String: String] = [:], processorTime: Duration? = nil,
        cancelGrace: Duration = .seconds(2), restart: RestartRule = RestartRule()
    ) {
        (self.program, self.name, self.environment) = (program, name, environment)
        (self.policy, self.folder) = (policy, folder)
        (self.processorTime, self.cancelGrace, self.restart) = (processorTime, cancelGrace, restart)
    }

    /// The first argument of the program, when it is a worker.
    public static let verb = "--worker"
}
