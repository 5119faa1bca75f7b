public import Diagnostics
public import Interfaces

/// The function that a feedback calls.
public struct EffectReference: Sendable {
    /// The plugin of an effect.
    public enum Provider: Hashable, Sendable {
        /// The built-in plugin `std`.
        case standard
        /// A plugin of the manifest, as an index into `Manifest.plugins`.
        case plugin(Int)
    }

    /// Its plugin.
    public let provider: Provider
    /// The name after the colon.
    public let name: String
    /// The description in the plugin's note; nil for a function from `declares`.
    public let description: EffectDescription?
    /// The function and how each argument is passed.
    public let signature: CallSignature
    /// Which of its pointers the plugin's `release` closes; nil if the plugin has no `release`.
    public let handles: HandleUse?
    /// True for a function that emits through a `spin_call` and may emit after it has returned.
    public let isEmitting: Bool
    /// True for a function that takes an instance of its plugin.
    public var takesInstance: Bool { signature.function.takesInstance }
    /// The value of `effect`.
    public let span: SourceSpan

    /// A function and the signature of its call.
    public init(
        provider: Provider, name: String, description: EffectDescription?, signature: CallSignature,
        handles: HandleUse? = nil, isEmitting: Bool, span: SourceSpan
    ) {
        self.handles = handles
        (self.provider, self.name, self.description) = (provider, name, description)
        (self.signature, self.isEmitting, self.span) = (signature, isEmitting, span)
    }
}
