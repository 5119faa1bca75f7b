/// The loop of one key.
@usableFromInline
final class KeyedInstance<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: KeyedValue<Key>,
    // Safe because its own thread alone uses `isBusy`; all else is set before any other thread knows of it.
    @unchecked Sendable
{
    /// It refers to this object until it has stopped, or until `discard`.
    @usableFromInline var loop: LoopCore<State, Event>!
    private let core: KeyedCore<Key, State, Event>
    /// Whether its effects run while it rests. Only the thread that drains the loop uses it.
    private var isBusy = false

    @usableFromInline
    init(_ key: Key, of core: KeyedCore<Key, State, Event>) {
        self.core = core
        super.init(key)
    }

    /// Makes its loop, which does not begin yet.
    @inlinable
    func makeLoop(
        of spin: Spin<State, Event>, startingFrom state: State,
        observers: [any LoopObserver<State, Event>]
    ) {
        loop = LoopCore(plan: spin.plan, startingFrom: state, observers: observers)
        loop.owner = self
    }

    /// Releases a loop that never begins.
    @usableFromInline
    func discard() {
        loop.owner = nil
        loop = nil
    }

    override func drains() {
        guard let watch = core.watch else { return }
        if watch.isOpen {
            if loop.extras?.visitor == nil { loop.visit(by: watch.observer(key, number)) }
        } else if loop.extras?.visitor != nil {
            loop.visit(by: nil)
        }
    }

    override func begins() { core.begins?() }

    override func woke() { core.activity?.wake() }

    override func rested(isQuiescent: Bool) {
        guard let activity = core.activity else { return }
        note(isBusy: !isQuiescent, activity)
        activity.rest()
    }

    override func faulted(_ fault: LoopFault) { core.faulted?(key, number, fault) }

    override func stopped(_ reason: StopReason) {
        core.stopped(self, reason)
        guard let activity = core.activity else { return }
        note(isBusy: false, activity)
        activity.rest()
    }

    private func note(isBusy: Bool, _ activity: KeyedActivity) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        activity.change(isBusy: isBusy)
    }
}
