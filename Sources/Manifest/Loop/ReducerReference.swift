public import Diagnostics
public import Interfaces

/// The native reducer of a loop: `reducer = "plugin:name"`.
public struct ReducerReference: Sendable {
    /// Its plugin, as an index into `Manifest.plugins`.
    public let plugin: Int
    /// The plugin's description of it.
    public let description: ReducerDescription
    /// The value of `reducer`.
    public let span: SourceSpan

    /// A reducer named at `span`.
    public init(plugin: Int, description: ReducerDescription, span: SourceSpan) {
        (self.plugin, self.description, self.span) = (plugin, description, span)
    }
}
