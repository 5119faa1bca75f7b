import Dispatch
import Interfaces
import PluginHost
import Records

/// Makes instances of a plugin with its default settings.
struct TrialInstance {
    private let interface: InstanceInterface
    private let config: Record?

    /// Why there is none to try.
    struct Refusal: Error {
        let reason: String
    }

    /// - Throws: when the plugin has no instances, or settings that only a manifest can give.
    init(of image: PluginImage) throws(Refusal) {
        guard let description = image.description?.instance else {
            throw Refusal(reason: "it has no instances")
        }
        do throws(PluginError) { interface = try InstanceInterface(of: image) } catch {
            throw Refusal(reason: error.message)
        }
        guard let settings = description.config else {
            config = nil
            return
        }
        var record = Record(settings.type)
        for setting in settings.settings {
            guard let value = setting.defaultValue else {
                throw Refusal(reason: "`\(setting.name)` has no default, and what it is only a manifest says")
            }
            do { try record.set(setting.name, to: value) } catch { throw Refusal(reason: error.message) }
        }
        config = record
    }

    /// An instance that is not made yet.
    func next() -> PluginInstance { PluginInstance(interface, config: config) }

    /// Frees an instance, unless something of its plugin still runs after a while.
    static func end(_ instance: PluginInstance) {
        let idle = DispatchSemaphore(value: 0)
        instance.image.whenIdle { idle.signal() }
        if idle.wait(timeout: .now() + .seconds(3)) == .success { instance.destroy() }
    }
}
