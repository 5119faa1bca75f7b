import Dispatch
import HostLoop

/// Has libraries loaded on a thread of its own, for callers that must not wait for ever: a constructor that never returns holds
/// the dynamic loader, but not them. May be used from any thread.
public enum BoundedLoading {
    private static let queue = DispatchQueue(label: "spinhost.load")
    /// The library whose constructors have not returned in time.
    private static let late = Lock<String?>(nil)

    /// Whether a constructor holds the dynamic loader: nothing can be loaded then, and `exit` would wait for it.
    public static var isHeldUp: Bool { late.withLock { $0 != nil } }

    /// Waits so long for a library to be loaded. One that is loaded later stays mapped.
    ///
    /// - Throws: what `body` throws; `DiagnosticCode.heldUp` when a constructor, of this library or of one before, has not returned.
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
                help: ["what ran before is called on, but nothing can be loaded until it returns"],
                library: library)
        }
        return try result.get()
    }
}
