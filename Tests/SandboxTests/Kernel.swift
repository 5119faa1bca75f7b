import Sandbox
import Testing

/// What the kernel that runs the tests can do.
enum Kernel {
    static let ability = SandboxAbility.current
    static let hasLandlock = ability.landlock >= 6 && ability.hasFilters && ability.hasNotifications
    static let reason: Comment =
        """
        the kernel has Landlock \(ability.landlock), filters: \(ability.hasFilters), \
        notifications: \(ability.hasNotifications)
        """
}
