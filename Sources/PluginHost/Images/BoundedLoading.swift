import Dispatch
import HostLoop

/// Loads libraries on another thread, with a time limit: a constructor that never returns holds the dynamic
/// loader, but not the caller. May be used from any thread.
public enum BoundedLoading {
    private static let queue = DispatchQueue(label: "spinhost.load")
    /// The library whose constructors did not return in time.
    private static let late = Lock<String?>(nil)

    /// Whether a constructor holds the dynamic loader. Then nothing can be loaded, and `exit` would block.
    public static var isHeldUp: Bool { late.withLock { $0 != nil } }

    /// Loads a library, and waits at most `limit` for it. A library that is loaded later stays mapped.
    ///
    /// - Throws: what `body` throws; `DiagnosticCode.heldUp` when a constructor of this or an earlier library
    ///   has not returned.
    static func load(
        _ library: String, within limit: Duration,
        _ body: @escaping @Sendable () throws(PluginError) -> LoadedLibrary
    ) throws(PluginError) -> LoadedLibrary {
        if let other = late.withLock({ $0 }) {
            throw PluginError(
                .heldUp, "`\(library)` cannot be loaded, as a constructor of `\(other)` has not returned",
                help: ["start the app again"], library: library)
        }
        let hasReturned = Lock(false)
        let result = Deadline(after: limit).wait(
            late: { (_: Result<LoadedLibrary, PluginError>) in
                late.withLock { late in
                    hasReturned.exchange(true)
                    if late == library { late = nil }
                }
            }
        ) { answer in
            queue.async {
                let result: Result<LoadedLibrary, PluginError>
                do throws(PluginError) { result = .success(try body()) } catch { result = .failure(error) }
                answer(result)
            }
        }
        guard let result else {
            late.withLock { late in if !hasReturned.withLock({ $0 }) { late = library } }
            throw PluginError(
                .heldUp, "a constructor of `\(library)` has not returned within \(limit)",
                help: ["loaded plugins still run, but nothing can be loaded until the constructor returns"],
                library: library)
        }
        return try result.get()
    }
}
