/// What a changed manifest has done to an instance whose settings it changes.
public struct SettingsReport: Hashable, Sendable {
    /// How the instance got its settings.
    public enum Outcome: String, Sendable {
        /// The instance that runs has taken them over (`SPIN_RECONFIGURE`).
        case accepted
        /// Another instance was made with them.
        case renewed = "made again"
    }

    /// The instance: `PLUGIN`, or `PLUGIN of LOOP`.
    public let instance: String
    /// How it got its settings.
    public let outcome: Outcome
    /// Why an instance of the plugin did not take them over; nil if none was asked.
    public let reason: String?

    /// A report with these values.
    public init(instance: String, outcome: Outcome, reason: String?) {
        (self.instance, self.outcome, self.reason) = (instance, outcome, reason)
    }
}
