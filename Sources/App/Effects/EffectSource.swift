import HostLoop
import Manifest
import PluginHost

/// What calls of one effect are made with.
final class EffectSource: Sendable {
    let effect: EffectReference
    /// The library that it comes from.
    let image: PluginImage
    let services: HostServices
    /// Where the instance sits that it is called for, which may hold the call up; nil when it is called for none.
    let seat: InstanceSeat?
    /// The version that sat there.
    let version: UInt
    private let interface: CallInterface
    private let instance: PluginInstance?

    /// - Parameters:
    ///   - plugin: what the effect is of; for one that takes an instance, what sits in `seat` counts.
    ///   - seat: where the instance sits, if it takes one.
    init(
        _ effect: EffectReference, _ plugin: LoadedPlugin, services: HostServices, seat: InstanceSeat? = nil
    ) {
        precondition(effect.takesInstance == (seat != nil), "an effect that takes an instance has one")
        (self.effect, self.services, self.seat) = (effect, services, seat)
        let seating = seat?.seating
        // The same library may be prepared for other effects by now.
        let seated = seating?.occupant.plugin
        let plugin = seated.map { $0.image === plugin.image ? plugin : $0 } ?? plugin
        (instance, version) = (seating?.occupant.instance, seating?.version ?? 0)
        (interface, image) = (plugin.interface(of: effect), plugin.image)
    }

    /// The same effect of what sits in `seat` now.
    convenience init(_ other: EffectSource, for seat: InstanceSeat) {
        self.init(other.effect, seat.seating.occupant.plugin, services: other.services, seat: seat)
    }

    /// Where it is called, when that is not for its feedback to say: the queue of an instance that all loops share.
    var lane: LoopExecutor? { seat?.lane }

    /// Where the pointers that it opens are kept; nil when it opens none that somebody closes.
    var openedHandles: OpenHandles? { interface.openedHandles }

    /// Memory for one more call.
    func makeCall() -> PreparedCall {
        let call = PreparedCall(interface)
        if let instance { call.setInstance(instance) }
        return call
    }
}
