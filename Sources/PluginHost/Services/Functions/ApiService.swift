import CForeignCall
import CPluginABI

/// The functions of `spin_api_service`.
// Safe because the functions look up or check every argument before they use it, and only hand tables on. The
// plugin promises that other pointers are NULL or valid, as the header requires.
enum ApiService {
    private static let longestName: Int32 = 128

    static func publish(
        _ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?, _ major: UInt32, _ minor: UInt32,
        _ table: UnsafeRawPointer?, _ size: UInt32
    ) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let name = unsafe text(name, image) else { return SPIN_BAD_VALUE }
        guard let table = unsafe table, size > 0,
            unsafe !image.isGuarded || foreign_is_readable(table, Int(size))
        else { return broke(.noTable, image) }
        let published = unsafe PublishedTables.Table(address: table, size: size, major: major, minor: minor)
        guard image.services.tables.publish(published, as: name, by: image) else {
            image.conduct.broke(.nameTaken, effect: nil, call: nil)
            return SPIN_FULL
        }
        return SPIN_OK
    }

    static func withdraw(_ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let name = unsafe text(name, image) else { return SPIN_BAD_VALUE }
        return switch image.services.tables.withdraw(name, of: image) {
        case .withdrawn: SPIN_OK
        case .isUsed: SPIN_FULL
        case .isNotPublished: SPIN_STOPPED
        }
    }

    static func acquire(
        _ host: UnsafePointer<spin_host>?, _ name: UnsafePointer<CChar>?, _ major: UInt32,
        _ leastMinor: UInt32,
        _ wanted: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ argument: UnsafeMutableRawPointer?,
        _ table: UnsafeMutablePointer<UnsafeRawPointer?>?, _ size: UnsafeMutablePointer<UInt32>?,
        _ use: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard unsafe PluginArguments.canStore(table, for: image),
            unsafe PluginArguments.canStore(size, for: image),
            unsafe PluginArguments.canStore(use, for: image)
        else { return broke(.badPlace, image) }
        unsafe table?.pointee = nil
        unsafe size?.pointee = 0
        unsafe use?.pointee = 0
        guard let name = unsafe text(name, image) else { return SPIN_BAD_VALUE }
        guard let table = unsafe table, let use = unsafe use else { return broke(.noPlaceForTable, image) }
        do throws(PublishedTables.Refusal) {
            let found = try image.services.tables.acquire(
                name, major: major, leastMinor: leastMinor, by: image,
                wanted: unsafe wanted.map { unsafe PluginCallback($0, argument) })
            unsafe (table.pointee, use.pointee) = (found.table.address, found.use)
            unsafe size?.pointee = found.table.size
            return SPIN_OK
        } catch {
            return switch error {
            case .isNotPublished: SPIN_UNSUPPORTED
            case .isOlder: SPIN_FAILED
            case .isOwn: broke(.ownTable, image)
            }
        }
    }

    static func release(_ host: UnsafePointer<spin_host>?, _ use: UInt64) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        if image.services.tables.release(use, of: image) { return SPIN_OK }
        image.conduct.broke(.strangeUse, effect: nil, call: nil)
        return SPIN_STOPPED
    }

    /// A name; nil after a report.
    private static func text(_ name: UnsafePointer<CChar>?, _ image: PluginImage) -> String? {
        let text = unsafe PluginArguments.text(name, upTo: longestName, isGuarded: image.isGuarded)
        guard let text, !text.isEmpty else {
            image.conduct.broke(.badName, effect: nil, call: nil)
            return nil
        }
        return text
    }

    private static func broke(_ rule: PluginRule, _ image: PluginImage) -> Int32 {
        image.conduct.broke(rule, effect: nil, call: nil)
        return SPIN_BAD_VALUE
    }
}
