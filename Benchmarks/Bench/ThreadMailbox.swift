import Glibc

/// The reference of rows L2 and L3: the loop of `SenderMailbox` with a thread of its own. The thread waits on
/// a condition variable, and senders wake it only while it waits.
// Safe because mutex and condition live as long as this object, `events`, `isWaiting` and `isStopped` are
// touched with the mutex held, and the rest by the one thread that drains.
@safe
final class ThreadMailbox: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let reduce: Counting.Reduce
    private let effect: Counting.Effect
    @safe @exclusivity(unchecked) private var events: [Counting.Event] = []
    @safe @exclusivity(unchecked) private var isWaiting = false
    @safe @exclusivity(unchecked) private var isStopped = false
    @safe @exclusivity(unchecked) private var state = Counting.State()
    @safe @exclusivity(unchecked) private var thread: BenchThread?

    /// Not inlined, so that the loop knows as little of reducer and effect as a library does.
    @inline(never)
    init(_ counting: Counting) {
        reduce = counting.reduce
        effect = counting.effect
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func start() throws {
        thread = try BenchThread { self.drain() }
    }

    func emit(_ event: Counting.Event) {
        unsafe pthread_mutex_lock(mutex)
        events.append(event)
        let wakes = isWaiting
        isWaiting = false
        unsafe pthread_mutex_unlock(mutex)
        if wakes { unsafe pthread_cond_signal(condition) }
    }

    /// Ends the thread. It must have drained all events that matter.
    func stop() {
        unsafe pthread_mutex_lock(mutex)
        isStopped = true
        unsafe pthread_mutex_unlock(mutex)
        unsafe pthread_cond_signal(condition)
        thread?.join()
        thread = nil
    }

    private func drain() {
        var batch: [Counting.Event] = []
        if let event = effect(state) { emit(event) }
        while true {
            unsafe pthread_mutex_lock(mutex)
            while events.isEmpty, !isStopped {
                isWaiting = true
                unsafe pthread_cond_wait(condition, mutex)
            }
            let isOver = isStopped
            swap(&events, &batch)
            unsafe pthread_mutex_unlock(mutex)
            if isOver { return }
            for event in batch where reduce(&state, event) {
                if let next = effect(state) { emit(next) }
            }
            batch.removeAll(keepingCapacity: true)
        }
    }
}
