/// One line that a plugin, or the host about one, writes to the log.
public struct PluginLogLine: Hashable, Sendable {
    /// The plugin's id; its library when it has none.
    public let plugin: String
    /// The plugin's version; empty when it says none.
    public let version: String
    /// The call that the line belongs to, if the plugin says so.
    public let call: CallToken?
    /// How grave it is: -2 trace, -1 debug, 0 info, 1 warning, 2 error; levels in between and beyond are
    /// allowed.
    public let level: Int32
    /// The line, without line end.
    public let text: String
    /// What it is about.
    public let matter: Matter

    /// What a line is about.
    public enum Matter: Hashable, Sendable {
        /// The plugin wrote it.
        case ofPlugin
        /// The host reminds of a rule of `plugin.h` that the plugin broke.
        case brokenRule
        /// The plugin replaced the handler of a signal.
        case replacedHandler
        /// A function of the plugin did not return as it should.
        case fault
    }

    /// A line with all that belongs to it.
    public init(
        plugin: String, version: String, call: CallToken?, level: Int32, text: String,
        matter: Matter = .ofPlugin
    ) {
        (self.plugin, self.version, self.call) = (plugin, version, call)
        (self.level, self.text, self.matter) = (level, text, matter)
    }
}
