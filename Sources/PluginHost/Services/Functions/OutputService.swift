import CPluginABI

/// The functions of `spin_output_service`.
// Safe because the functions look up or check every argument before they use it.
enum OutputService {
    static func print(_ host: UnsafePointer<spin_host>?, _ text: UnsafePointer<CChar>?, _ size: Int) -> Int32
    {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let line = unsafe PluginArguments.line(text, size, image) else { return SPIN_BAD_VALUE }
        return image.services.output(line) ? SPIN_OK : SPIN_FAILED
    }
}
