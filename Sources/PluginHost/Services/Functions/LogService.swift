import CPluginABI

/// The functions of `spin_log_service`.
// Safe because the functions look up or check every argument before they use it.
enum LogService {
    static func write(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ level: Int32,
        _ text: UnsafePointer<CChar>?, _ size: Int, _ fields: UnsafePointer<spin_field>?, _ count: Int
    ) -> Int32 {
        guard let image = unsafe PluginArguments.image(host, call) else { return SPIN_NO_HOST }
        guard let line = unsafe PluginArguments.line(text, size, image) else { return SPIN_BAD_VALUE }
        var isWhole = true
        let fields = unsafe LogFields(fields, count: count, isGuarded: image.isGuarded) { rule in
            isWhole = false
            image.conduct.broke(rule, effect: nil, call: nil)
        }
        unsafe image.log(line, fields, level: level, call: call.map { unsafe CallToken($0) })
        return isWhole ? SPIN_OK : SPIN_BAD_VALUE
    }
}
