import HostLoop
import Manifest
import PluginHost

/// One effect in one version of its plugin, from which calls are made.
final class EffectSource: Sendable {
    let effect: EffectReference
    /// The library of the effect.
    let image: PluginImage
    let services: HostServices
    /// Where the instance is that it is called for, which may make the call wait; nil when it takes none.
    let slot: InstanceSlot?
    /// The version of that instance.
    let version: UInt
    private let interface: CallInterface
    private let instance: PluginInstance?

    /// - Parameters:
    ///   - plugin: the plugin of the effect. For an effect that takes an instance, the plugin in `slot`
    ///     counts.
    ///   - slot: where the instance is, if it takes one.
    init(
        _ effect: EffectReference, _ plugin: PluginVersion, services: HostServices, slot: InstanceSlot? = nil
    ) {
        precondition(effect.takesInstance == (slot != nil), "an effect that takes an instance has one")
        (self.effect, self.services, self.slot) = (effect, services, slot)
        let installed = slot?.installed
        // The same library may be prepared for other effects by now.
        let own = installed?.content.plugin
        let plugin = own.map { $0.image === plugin.image ? plugin : $0 } ?? plugin
        (instance, version) = (installed?.content.instance, installed?.version ?? 0)
        (interface, image) = (plugin.interface(of: effect), plugin.image)
    }

    /// The same effect of the instance that is in `slot` now.
    convenience init(_ other: EffectSource, for slot: InstanceSlot) {
        self.init(other.effect, slot.installed.content.plugin, services: other.services, slot: slot)
    }

    /// The queue of an instance that all loops share, on which it must be called; nil: its feedback says
    /// where.
    var sharedExecutor: LoopExecutor? { slot?.sharedExecutor }

    /// Where the pointers are kept that it opens; nil when it opens none that the app must close.
    var openedHandles: OpenHandles? { interface.openedHandles }

    /// Memory for one more call.
    func makeCall() -> PreparedCall {
        let call = PreparedCall(interface)
        if let instance { call.setInstance(instance) }
        return call
    }
}

/// What a feedback calls.
enum EffectTarget: Sendable {
    /// Nothing: its runs only send messages.
    case nothing
    /// An effect of a plugin.
    case effect(EffectSource)
    /// A test's double of an effect.
    case double(EffectDouble)

    /// The effect of a plugin; nil when no plugin is called.
    var source: EffectSource? { if case .effect(let source) = self { source } else { nil } }

    /// Where the pointers are kept that it opens; nil when it opens none that the app must close.
    var openedHandles: OpenHandles? { source?.openedHandles }
}
