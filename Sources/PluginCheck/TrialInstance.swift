import Dispatch
import Interfaces
import PluginHost
import Records

/// Creates instances of a plugin with its default settings.
struct TrialInstance {
    private let interface: InstanceInterface
    private let config: Record?
    private let description: InstanceDescription

    /// The reason why the plugin has no instance to try.
    struct Refusal: Error {
        let reason: String
    }

    /// The instances of an image.
    ///
    /// - Throws: if the plugin has no instances, or a setting without a default.
    init(of image: PluginImage) throws(Refusal) {
        guard let description = image.description?.instance else {
            throw Refusal(reason: "it has no instances")
        }
        do throws(PluginError) { interface = try InstanceInterface(of: image) } catch {
            throw Refusal(reason: error.message)
        }
        self.description = description
        guard let settings = description.config else {
            config = nil
            return
        }
        var record = Record(settings.type)
        for setting in settings.settings {
            guard let value = setting.defaultValue else {
                throw Refusal(
                    reason: "`\(setting.name)` has no default, so only a manifest can give its value")
            }
            do { try record.set(setting.name, to: value) } catch { throw Refusal(reason: error.message) }
        }
        config = record
    }

    /// An instance that is not created yet.
    func next() -> PluginInstance { PluginInstance(interface, config: config) }

    /// Whether instances take over changed settings.
    var takesChangedSettings: Bool { description.takesChangedSettings }

    /// Made settings; nil when a made value does not fit.
    func settings(from random: inout RandomArguments) -> Record? {
        guard let own = description.config else { return nil }
        var record = Record(own.type)
        for setting in own.settings {
            guard (try? record.set(setting.name, to: random.value(of: setting))) != nil else { return nil }
        }
        return record
    }

    /// Destroys an instance, unless a call of its plugin still runs after three seconds.
    static func end(_ instance: PluginInstance) {
        let idle = DispatchSemaphore(value: 0)
        instance.image.whenIdle { idle.signal() }
        if idle.wait(timeout: .now() + .seconds(3)) == .success { instance.destroy() }
    }
}
