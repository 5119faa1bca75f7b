import CForeignCall
import CPluginABI
import HostLoop

/// Checks what plugins pass to functions of the host.
// Safe because text is copied during the call. The plugin promises that pointers are NULL or valid, as the
// header requires; those of a guarded plugin are probed.
enum PluginArguments {
    /// The most bytes that a text may have. A longer one is a mistake of the plugin.
    private static let longestText = 1 << 30

    /// The plugin that a table belongs to. For no table of a plugin, the plugin of a running call.
    static func image(_ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?) -> PluginImage? {
        if let image = unsafe HostRegistry.shared.image(of: host) { return image }
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return nil }
        return found.image
    }

    static func line(
        _ text: UnsafePointer<CChar>?, _ size: Int, _ image: PluginImage
    ) -> String? {
        if let line = unsafe self.text(text, size, isGuarded: image.isGuarded) { return line }
        image.conduct.broke(.badText, effect: nil, call: nil)
        return nil
    }

    /// A copy of a text; nil if it is not UTF-8, null, or too long.
    static func text(_ text: UnsafePointer<CChar>?, _ size: Int, isGuarded: Bool) -> String? {
        if size == 0 { return "" }
        guard size > 0, size <= longestText, let text = unsafe text,
            unsafe !isGuarded || foreign_is_readable(text, size)
        else { return nil }
        return unsafe String(
            validating: UnsafeRawBufferPointer(start: text, count: size).bindMemory(to: UInt8.self),
            as: UTF8.self)
    }

    /// A copy of a NUL-terminated text of at most `limit` bytes; nil if it is not UTF-8, null, or longer.
    static func text(_ text: UnsafePointer<CChar>?, upTo limit: Int32, isGuarded: Bool) -> String? {
        guard let text = unsafe text, unsafe isReadable(text, isGuarded: isGuarded) else { return nil }
        var size = 0
        while size <= limit, unsafe text[size] != 0 { size += 1 }
        return size <= limit ? unsafe self.text(text, size, isGuarded: false) : nil
    }

    /// Whether a NUL-terminated text can be read. Only checked for guarded plugins.
    static func isReadable(_ text: UnsafePointer<CChar>?, isGuarded: Bool) -> Bool {
        guard isGuarded, let text = unsafe text else { return true }
        return unsafe foreign_text_size(text) >= 0
    }

    /// Whether a number can be stored there; true for NULL. Only checked for guarded plugins.
    static func canStore<Number>(_ place: UnsafeMutablePointer<Number>?, for image: PluginImage) -> Bool {
        guard image.isGuarded, let place = unsafe place else { return true }
        return unsafe foreign_is_writable(place, MemoryLayout<Number>.size)
    }

    /// Notes that the plugin of a running call broke a rule.
    static func broke(_ rule: PluginRule, _ call: OpaquePointer?) {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return }
        unsafe found.broke(rule, CallToken(call))
    }
}
