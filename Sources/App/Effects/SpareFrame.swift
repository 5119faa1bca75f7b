import Synchronization

/// A frame for the next evaluation in one scope, on any thread. To make a frame costs more than to copy a few fields.
struct SpareFrame: ~Copyable, Sendable {
    // The address of a counted frame, or 0.
    private let word = Atomic<UInt>(0)

    deinit { _ = take() }

    /// Takes the frame out; nil while it is in use, and before the first one.
    func take() -> ExpressionFrame? { Self.frame(word.exchange(0, ordering: .acquiring)) }

    /// Keeps a frame that no thread uses, in the place of the one before.
    func keep(_ frame: ExpressionFrame) {
        // Safe because `frame(_:)` takes the count back.
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(frame).toOpaque())
        _ = Self.frame(word.exchange(address, ordering: .acquiringAndReleasing))
    }

    private static func frame(_ address: UInt) -> ExpressionFrame? {
        // Safe because the address comes from `keep`, and only one thread gets it.
        unsafe UnsafeRawPointer(bitPattern: address).map {
            unsafe Unmanaged<ExpressionFrame>.fromOpaque($0).takeRetainedValue()
        }
    }
}
