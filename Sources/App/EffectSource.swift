import Manifest
import PluginHost

/// What calls of one effect are made with.
struct EffectSource: Sendable {
    let effect: EffectReference
    /// The library that it comes from.
    let image: PluginImage
    let services: HostServices
    private let interface: CallInterface

    init(_ effect: EffectReference, image: PluginImage, interface: CallInterface, services: HostServices) {
        (self.effect, self.image, self.services) = (effect, image, services)
        self.interface = interface
    }

    /// Where the pointers that it opens are kept; nil when it opens none that somebody closes.
    var openedHandles: OpenHandles? { interface.openedHandles }

    /// Memory for one more call.
    func makeCall() -> PreparedCall { PreparedCall(interface) }
}
