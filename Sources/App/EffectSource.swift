import HostLoop
import Manifest
import PluginHost

/// What calls of one effect are made with.
struct EffectSource: Sendable {
    let effect: EffectReference
    /// The library that it comes from.
    let image: PluginImage
    let services: HostServices
    /// Where it is called, when that is not for its feedback to say: the queue of an instance that all loops share.
    let lane: LoopExecutor?
    private let interface: CallInterface
    private let instance: PluginInstance?

    init(
        _ effect: EffectReference, _ plugin: LoadedPlugin, services: HostServices,
        member: InstanceSet.Member? = nil
    ) {
        precondition(effect.takesInstance == (member != nil), "an effect that takes an instance has one")
        (self.effect, image, self.services) = (effect, plugin.image, services)
        (interface, instance, lane) = (plugin.interface(of: effect), member?.instance, member?.lane)
    }

    /// Where the pointers that it opens are kept; nil when it opens none that somebody closes.
    var openedHandles: OpenHandles? { interface.openedHandles }

    /// Memory for one more call.
    func makeCall() -> PreparedCall {
        let call = PreparedCall(interface)
        if let instance { call.setInstance(instance) }
        return call
    }
}
