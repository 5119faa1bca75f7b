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
    // Safe because only `init` and `deinit` make and free the memory, and only the thread that has taken the word touches
    // the value.
    @usableFromInline @safe
    package struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {
        @usableFromInline let word: LockWord
        @usableFromInline let value: UnsafeMutablePointer<Value>

        @inlinable
        package init(_ initial: consuming Value) {
            // No other variable lies in its cache lines: two threads that write to one line slow each other down by far
            // more than the work they do.
            let offset = max(MemoryLayout<Value>.alignment, LockWord.size)
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: (offset + MemoryLayout<Value>.size + 63) & ~63, alignment: 64)
            unsafe word = LockWord(at: memory)
            unsafe value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
            unsafe value.initialize(to: initial)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe word.memory.deallocate()
        }

        @inlinable @inline(__always)
        package func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            if !word.isTakenAtOnce { word.take() }
            defer { if !word.isReleasedAlone { word.wake() } }
            return try unsafe body(&value.pointee)
        }
    }

    /// A word that threads sleep on: 0 when the lock is free, 1 when a thread holds it, 2 when others may sleep too.
    ///
    /// As in U. Drepper, "Futexes Are Tricky", 2011, section 5.
    // Safe because the lock, whose memory it is, frees it.
    @usableFromInline @safe
    struct LockWord: @unchecked Sendable {
        @usableFromInline let memory: UnsafeMutablePointer<Atomic<UInt32>>

        @inlinable static var size: Int { MemoryLayout<UInt64>.size }

        @inlinable
        init(at memory: UnsafeMutableRawPointer) {
            unsafe self.memory = memory.bindMemory(to: Atomic<UInt32>.self, capacity: 1)
            unsafe self.memory.initialize(to: Atomic(0))
        }

        @inlinable @inline(__always)
        var isTakenAtOnce: Bool {
            unsafe memory.pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
        }

        /// Frees the lock; false when a thread that sleeps must be woken.
        @inlinable @inline(__always)
        var isReleasedAlone: Bool { unsafe memory.pointee.exchange(0, ordering: .releasing) != 2 }

        /// Waits for the lock, first without sleeping: most holders keep it for less time than a sleep takes.
        @usableFromInline @inline(never)
        func take() {
            for _ in 0..<100 {
                if unsafe memory.pointee.load(ordering: .relaxed) == 0, isTakenAtOnce { return }
                memory_order_pause()
            }
            // The word says now that others may sleep, also if this thread was the last one.
            while unsafe memory.pointee.exchange(2, ordering: .acquiring) != 0 {
                unsafe memory_order_sleep(memory, 2)
            }
        }

        @usableFromInline @inline(never)
        func wake() { unsafe memory_order_wake(memory) }
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
