import Dispatch
import HostLoop

/// Has libraries loaded on a thread of its own, for those who must not wait for ever: a constructor that never returns holds the dynamic
/// loader, but not who asked. May be used from any thread.
public enum BoundedLoading {
    private final class Loading: Sendable {
        let result = Lock<Result<LoadedLibrary, PluginError>?>(nil)
        let isOver = DispatchSemaphore(value: 0)
    }

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
                help: ["start the app anew"], library: library)
        }
        let loading = Loading()
        queue.async {
            let result: Result<LoadedLibrary, PluginError>
            do throws(PluginError) { result = .success(try body()) } catch { result = .failure(error) }
            loading.result.withLock { $0 = result }
            late.withLock { if $0 == library { $0 = nil } }
            loading.isOver.signal()
        }
        if loading.isOver.wait(timeout: .now() + limit / .seconds(1)) == .timedOut {
            late.withLock { late in
                if loading.result.withLock({ $0 == nil }) { late = library }
            }
        }
        guard let result = loading.result.withLock({ $0 }) else {
            throw PluginError(
                .heldUp, "a constructor of `\(library)` has not returned within \(limit)",
                help: ["what ran before is called on, but nothing can be loaded until it returns"],
                library: library)
        }
        return try result.get()
    }
}
