internal import CSandbox

/// The rules of a policy by path, to tell what the kernel decides. The kernel has them by file.
struct AllowedPaths {
    private struct Place {
        let path: String
        let isFolder: Bool
        let rights: UInt64
    }

    private let places: [Place]

    init(_ policy: SandboxPolicy, of process: Int32) {
        places = policy.fileRules.compactMap { rule in
            let path = rule.path == "/proc/self" ? "/proc/\(process)" : rule.path
            guard let place = PlaceDescriptor(path), let real = place.path else { return nil }
            return Place(path: real, isFolder: place.isFolder, rights: rule.rights)
        }
    }

    func allow(_ kind: Access.Kind, _ path: String) -> Bool {
        let needed: UInt64 =
            switch kind {
            case .read: SANDBOX_READ_FILE.rights
            case .write: SANDBOX_WRITE_FILE.rights
            case .execute: SANDBOX_EXECUTE.rights
            default: 0
            }
        // Landlock adds up the rights of all folders on the way.
        let rights = places.reduce(into: UInt64(0)) { rights, place in
            let isInside = place.isFolder && (place.path == "/" || path.hasPrefix(place.path + "/"))
            if isInside || path == place.path { rights |= place.rights }
        }
        return needed != 0 && rights & needed == needed
    }
}
