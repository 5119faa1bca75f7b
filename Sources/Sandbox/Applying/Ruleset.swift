internal import CSandbox
import Glibc

extension FileRule {
    /// Opens the file for nothing but its place.
    ///
    /// - Throws: `unreachable`, `notAbsolute`; nil for a missing file that no key names.
    func open() throws(SandboxError) -> PlaceDescriptor? {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw .notAbsolute(path: path, key: key ?? "")
        }
        // A process that may write a folder of the path could have put a link there before this one started.
        if let place = PlaceDescriptor(path, followsLinks: key == nil) { return place }
        guard let key else { return nil }
        throw .unreachable(path: path, key: key, error: errno)
    }
}

/// The rules of Landlock for a policy, before they hold. It closes itself after its last use.
struct Ruleset: ~Copyable {
    private let number: Int32
    private let version: Int32

    deinit { close(number) }

    /// - Parameters:
    ///   - version: of Landlock, at least 1.
    /// - Throws: `unreachable`, `notAbsolute`, `failed`.
    init(for policy: SandboxPolicy, version: Int) throws(SandboxError) {
        self.version = Int32(version)
        number = sandbox_ruleset(self.version)
        guard number >= 0 else { throw .failed(call: "landlock_create_ruleset", error: errno) }
        for rule in policy.fileRules { try add(rule) }
        if version >= 4 {
            for port in policy.ports {
                try SandboxError.check("landlock_add_rule", sandbox_allow_connecting(number, port))
            }
            for port in policy.listen {
                try SandboxError.check("landlock_add_rule", sandbox_allow_listening(number, port))
            }
        }
    }

    private func add(_ rule: FileRule) throws(SandboxError) {
        guard let place = try rule.open() else { return }
        var rights = rule.rights
        // A device that the author has named, and no other one.
        if place.isDevice, rule.key != nil { rights |= SANDBOX_CONTROL_DEVICE.rights }
        try SandboxError.check(
            "landlock_add_rule", sandbox_allow_file(number, version, place.number, place.isFolder, rights))
    }

    /// Puts the calling thread under the rules, for good.
    func restrict() throws(SandboxError) {
        try SandboxError.check("landlock_restrict_self", sandbox_restrict(number))
    }
}

extension SandboxError {
    /// Throws `failed` for an `errno` that is not 0.
    static func check(_ call: String, _ error: Int32) throws(SandboxError) {
        guard error == 0 else { throw .failed(call: call, error: error) }
    }
}

extension FixedWidthInteger {
    /// A constant of C as bits of Landlock.
    var rights: UInt64 { UInt64(self) }
}
