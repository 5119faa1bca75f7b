import HostLoop

/// The newest of several objects of which each has taken the place of the one before. All of them share it, so none refers to
/// the next one, and the way to the newest does not grow. May be used from any thread.
final class Newest<Object: AnyObject & Sendable>: Sendable {
    private struct Reference {
        weak var object: Object?
    }

    private let reference = Lock(Reference())

    /// The newest object; nil before the first one, and once its app is gone.
    var object: Object? {
        get { reference.withLock { $0.object } }
        set { reference.withLock { $0.object = newValue } }
    }
}
