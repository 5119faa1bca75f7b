import CForeignCall
import HostLoop
import Interfaces

/// A function of a plugin, described for crash reports and for the watch over calls.
// Safe because its content never changes, and it is freed when its image is unmapped, if at all.
@safe
struct Callee: @unchecked Sendable {
    /// The host's reason to call a function.
    enum Role: Hashable {
        case effect(String)
        case reducer(String)
        /// A function of an instance's life, such as `start`.
        case life(String)
        case timer
        case cancellation
        /// A function given to `spin_work`.
        case work
        /// A function given to `spin_on_room`.
        case room
        case poll
        /// The release of a poll's context.
        case pollRelease
        /// A function given to `spin_acquire`.
        case wantedBack
        /// The release of a timer's context.
        case timerRelease
        /// The function that frees a string.
        case release(String)
    }

    let pointer: UnsafeMutablePointer<foreign_callee>

    /// Held while a thread reads the calls of other threads, and while a callee is freed.
    static let reading = Lock(())

    /// Frees it. The plugin is not called any more, and no other reference exists.
    func free() {
        // Safe because no thread is in a call of it, and the lock waits for readers of past calls.
        Self.reading.withLock { _ in unsafe foreign_callee_destroy(pointer) }
    }

    /// The function's name; empty for a callback.
    var name: String { unsafe String(cString: pointer.pointee.name) }

    /// The description: `` effect `fetch` ``.
    var what: String { unsafe String(cString: pointer.pointee.what) }

    init(_ role: Role, of image: PluginImage) {
        let isPlugin = image.description != nil
        let (kind, what, name) =
            switch role {
            case .effect(let name):
                isPlugin
                    ? (FOREIGN_EFFECT, "effect `\(name)`", name)
                    : (FOREIGN_FUNCTION, "function `\(name)`", name)
            case .reducer(let name): (FOREIGN_REDUCER, "reducer `\(name)`", name)
            case .life(let name): (FOREIGN_LIFE, "function `\(name)`", name)
            case .timer: (FOREIGN_TIMER, "the function of a timer", "")
            case .cancellation: (FOREIGN_CANCELLATION, "the function given to `spin_on_cancel`", "")
            case .work: (FOREIGN_WORK, "a function given to `spin_work`", "")
            case .room: (FOREIGN_WORK, "the function given to `spin_on_room`", "")
            case .poll: (FOREIGN_WORK, "the function of a poll", "")
            case .wantedBack: (FOREIGN_WORK, "a function given to `spin_acquire`", "")
            case .timerRelease: (FOREIGN_RELEASE, "the release of a timer", "")
            case .pollRelease: (FOREIGN_RELEASE, "the release of a poll", "")
            case .release(let name): (FOREIGN_FUNCTION, "function `\(name)`", name)
            }
        var origin = "  library: \(image.library)\n"
        // The folder's name ends with the hash of the mapped file.
        if let path = image.stagedPath { origin += "  mapped from: \(path)\n" }
        // Safe because the texts are copied, and the image is a number here.
        unsafe pointer = foreign_callee_create(
            Int32(kind), what, name, "plugin \(image.title)", origin,
            Unmanaged.passUnretained(image).toOpaque(), image.isGuarded, image.quarantine.mark)
    }
}

extension PluginImage {
    /// The plugin's name in reports: `` `levels` 1.0.0 ``.
    var title: String {
        guard let description else { return "`\(library)`" }
        return description.version.isEmpty
            ? "`\(description.id)`" : "`\(description.id)` \(description.version)"
    }

    /// The function's description, made once.
    func callee(_ role: Callee.Role) -> Callee {
        callees.withLock { callees in
            if let known = callees[role] { return known }
            let made = Callee(role, of: self)
            callees[role] = made
            return made
        }
    }
}
