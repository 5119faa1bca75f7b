public import Synchronization

#if os(Linux)
    import CMemoryOrder

    /// The one lock of this package: a value that code can reach only while it holds the lock.
    ///
    /// A thread that comes while another one releases the lock may get it before threads that sleep. `Mutex` wakes the
    /// first of them instead, and all others wait for it to run: with a hundred threads, that is a hundred times slower.
    ///
    /// User code never runs while a `Lock` is held, with two exceptions. The loop's rule 17 runs the reducer
    /// under the lock of the state. `App` calls an app's observer under a lock that nothing else waits for.
    // Safe because only `init` and `deinit` make and free the memory, and only the thread that has set the word touches
    // the value.
    @usableFromInline @safe
    package struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {
        @usableFromInline let memory: UnsafeMutablePointer<LockMemory<Value>>

        @inlinable
        package init(_ initial: consuming Value) {
            // No other variable lies in its cache lines: two threads that write to one line slow each other down by far
            // more than the work they do.
            let raw = UnsafeMutableRawPointer.allocate(
                byteCount: (MemoryLayout<LockMemory<Value>>.size + 63) & ~63, alignment: 64)
            unsafe memory = raw.bindMemory(to: LockMemory<Value>.self, capacity: 1)
            unsafe memory.initialize(to: LockMemory(initial))
        }

        deinit {
            unsafe memory.deinitialize(count: 1)
            unsafe memory.deallocate()
        }

        @inlinable @inline(__always)
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            // Safe because the word lies at the start of the memory, which lives as long as the lock.
            if unsafe !memory.pointee.word.isTakenAtOnce { unsafe memory.pointee.word.take(at: memory) }
            defer { if unsafe !memory.pointee.word.isReleasedAlone { unsafe LockWord.wake(at: memory) } }
            return try unsafe body(&memory.pointee.value)
        }
    }

    /// What a lock guards, behind its word.
    @usableFromInline
    struct LockMemory<Value>: ~Copyable {
        @usableFromInline let word = LockWord()
        @usableFromInline var value: Value

        @inlinable
        init(_ value: consuming Value) { self.value = value }
    }

    /// A word that threads sleep on: 0 when the lock is free, 1 when a thread holds it, 2 when others may sleep too.
    ///
    /// As in U. Drepper, "Futexes Are Tricky", 2011, section 5.
    @usableFromInline
    struct LockWord: ~Copyable {
        @usableFromInline let value = Atomic<UInt32>(0)

        @inlinable
        init() {}

        @inlinable @inline(__always)
        var isTakenAtOnce: Bool {
            value.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
        }

        /// Frees the lock; false when a thread that sleeps must be woken.
        @inlinable @inline(__always)
        var isReleasedAlone: Bool { value.exchange(0, ordering: .releasing) != 2 }

        /// Waits for the lock, first without sleeping: most holders keep it for less time than a sleep takes.
        @usableFromInline @inline(never)
        func take(at address: UnsafeMutableRawPointer) {
            for _ in 0..<100 {
                if value.load(ordering: .relaxed) == 0, isTakenAtOnce { return }
                memory_order_pause()
            }
            // The word says now that others may sleep, also if this thread was the last one.
            while value.exchange(2, ordering: .acquiring) != 0 { unsafe memory_order_sleep(address, 2) }
        }

        @usableFromInline @inline(never)
        static func wake(at address: UnsafeMutableRawPointer) { unsafe memory_order_wake(address) }
    }
#else
    /// The one lock of this package: a value that code can reach only while it holds the lock.
    @usableFromInline
    package struct Lock<Value: Sendable>: ~Copyable, Sendable {
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
    }
#endif

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
