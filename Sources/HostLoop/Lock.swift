// `Mutex` normally. The thread sanitizer does not know the futex that `Mutex` waits on when it is contended
// and reports races that are none, so a build for it takes a pthread mutex:
// `swift test --sanitize=thread -Xswiftc -DSPINHOST_TSAN`.
#if SPINHOST_TSAN
    public import Glibc
#else
    public import Synchronization
#endif

/// The one lock of this module: a value that is reached only while the lock is held.
///
/// User code never runs while a `Lock` is held, with one exception that the loop's rule 17 names: the reducer
/// runs under the lock of the state.
@usableFromInline
struct Lock<Value: Sendable>: ~Copyable {
    #if SPINHOST_TSAN
        // Safe because both pointers are made in `init`, freed only in `deinit`, and `value` is touched only
        // between lock and unlock.
        @usableFromInline nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
        // Safe because of the same.
        @usableFromInline nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

        @usableFromInline
        init(_ initial: consuming Value) {
            // Safe because the memory is initialised before anything else can see it.
            unsafe mutex = .allocate(capacity: 1)
            unsafe value = .allocate(capacity: 1)
            unsafe value.initialize(to: initial)
            unsafe mutex.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(mutex, nil)
        }

        deinit {
            // Safe because nobody holds the lock of a value that is being destroyed.
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
        }

        @inlinable
        func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            // Safe because the value is reached between lock and unlock only.
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            return try unsafe body(&value.pointee)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        @inlinable
        init(_ initial: consuming Value) {
            mutex = Mutex(initial)
        }

        @inlinable @inline(__always)
        func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                try body(&value)
            }
        }
    #endif
}

#if SPINHOST_TSAN
    // Safe because the value is reached between lock and unlock only.
    extension Lock: @unchecked Sendable {}
#else
    extension Lock: Sendable {}
#endif
