import HostLoop

/// A reference to the newest of several objects, each of which has taken the place of the one before. They
/// share the reference, so the way to the newest stays short, and no object keeps the next one. May be used
/// from any thread.
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
