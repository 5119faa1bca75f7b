// A `Mutex` by default. The thread sanitizer does not know the futex that `Mutex` waits on under contention,
// and reports false races. So a build for the sanitizer uses a pthread mutex: `swift test --sanitize=thread
// -Xswiftc -DSPINHOST_TSAN`.
#if SPINHOST_TSAN
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif
#else
    public import Synchronization
#endif

/// The one lock of this package: a value that code can reach only while it holds the lock.
///
/// User code never runs while a `Lock` is held, with two exceptions. The loop's rule 17 runs the reducer
/// under the lock of the state. `App` calls an app's observer under a lock that nothing else waits for.
@usableFromInline
package struct Lock<Value: Sendable>: ~Copyable, Sendable {
    #if SPINHOST_TSAN
        @usableFromInline let guarded: SanitizedLock<Value>

        @inlinable
        package init(_ initial: consuming Value) {
            guarded = SanitizedLock(initial)
        }

        @inlinable
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try guarded.withLock(body)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        @inlinable
        package init(_ initial: consuming Value) {
            mutex = Mutex(initial)
        }

        @inlinable @inline(__always)
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                try body(&value)
            }
        }
    #endif
}

extension Lock {
    /// Stores another value and returns the old one, so that it is never released under the lock.
    @discardableResult
    package func exchange(_ value: Value) -> Value {
        withLock { present in
            defer { present = value }
            return present
        }
    }
}

#if SPINHOST_TSAN
    /// The lock in a build for the thread sanitizer.
    // Safe because `init` makes both pointers and only `deinit` frees them, and the value is touched only
    // between lock and unlock.
    @usableFromInline @safe
    final class SanitizedLock<Value: Sendable>: @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        @usableFromInline
        init(_ initial: consuming Value) {
            unsafe mutex = .allocate(capacity: 1)
            unsafe value = .allocate(capacity: 1)
            unsafe value.initialize(to: initial)
            unsafe mutex.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(mutex, nil)
        }

        deinit {
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
        }

        @usableFromInline
        func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            return try unsafe body(&value.pointee)
        }
    }
#endif
