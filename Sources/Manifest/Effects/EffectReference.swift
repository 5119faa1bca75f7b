public import Diagnostics
public import Interfaces

/// The function that a feedback calls.
public struct EffectReference: Sendable {
    /// Who provides it.
    public enum Provider: Hashable, Sendable {
        /// The plugin that is part of the host.
        case standard
        /// A plugin of the manifest, as an index into `Manifest.plugins`.
        case plugin(Int)
    }

    /// Who provides it.
    public let provider: Provider
    /// The name after the colon.
    public let name: String
    /// What the plugin's note says; nil for a function that `declares` declares.
    public let description: EffectDescription?
    /// The function and how each argument is passed.
    public let signature: CallSignature
    /// What it does with the pointers that its plugin's `release` closes; nil when nothing is known of that.
    public let handles: HandleUse?
    /// True when the function emits through a `spin_call` and may go on after it returned.
    public let isEmitting: Bool
    /// True when it is called for an instance of its plugin.
    public var takesInstance: Bool { signature.function.takesInstance }
    /// The value of `effect`.
    public let span: SourceSpan

    /// A function that is called with a signature.
    public init(
        provider: Provider, name: String, description: EffectDescription?, signature: CallSignature,
        handles: HandleUse? = nil, isEmitting: Bool, span: SourceSpan
    ) {
        self.handles = handles
        (self.provider, self.name, self.description) = (provider, name, description)
        (self.signature, self.isEmitting, self.span) = (signature, isEmitting, span)
    }
}
