/// One line of the log, which a plugin writes, or the host writes about a plugin.
public struct PluginLogLine: Hashable, Sendable {
    /// The plugin's id; its library if it has no id.
    public let plugin: String
    /// The plugin's version; empty if it declares none.
    public let version: String
    /// The call that the line belongs to; nil if the plugin names none.
    public let call: CallToken?
    /// The severity: -2 trace, -1 debug, 0 info, 1 warning, 2 error. Other levels are allowed.
    public let level: Int32
    /// The line, without line end.
    public let text: String
    /// What the plugin says besides; empty for a line of the host.
    public let fields: LogFields
    /// The reason for the line.
    public let matter: Matter

    /// The reason for a line.
    public enum Matter: Hashable, Sendable {
        /// The plugin wrote the line.
        case ofPlugin
        /// The plugin broke a rule of `plugin.h`.
        case brokenRule
        /// The plugin replaced the handler of a signal.
        case replacedHandler
        /// A function of the plugin crashed, threw an exception or failed otherwise.
        case fault
    }

    /// Makes a line from its parts.
    public init(
        plugin: String, version: String, call: CallToken?, level: Int32, text: String,
        fields: LogFields = LogFields(), matter: Matter = .ofPlugin
    ) {
        (self.plugin, self.version, self.call) = (plugin, version, call)
        (self.level, self.text, self.fields, self.matter) = (level, text, fields, matter)
    }
}
