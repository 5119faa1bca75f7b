import CPluginABI
import HostLoop

/// The running calls of effects, found by their tokens. A plain value: its owner locks it.
struct CallTable {
    /// A call that is not over.
    // Safe because its variables are used under the lock of the table, and after its end by the thread that
    // ended it.
    final class Call: @unchecked Sendable {
        let sink: any CallSink
        let image: PluginImage
        /// The effect's name; nil when it is unknown.
        let effect: String?
        /// The call's deadline, in nanoseconds of the host's clock.
        let deadline: Int64
        var onCancel: PluginCallback?
        var timers: Set<UInt64> = [] { didSet { mayWait = true } }
        var polls: Set<UInt64> = [] { didSet { mayWait = true } }
        /// Waits for room in the mailbox.
        var onRoom: PluginCallback? { didSet { mayWait = true } }
        /// Whether it ever had a timer, a poll or a function that waits for room, which end with it.
        private(set) var mayWait = false
        /// Ends that wait.
        var roomWait: Cancellation?
        /// The memory that was allocated for it. The sink keeps it when the call ends.
        var arena: CallArena?

        init(sink: any CallSink, image: PluginImage, effect: String?, deadline: Int64) {
            (self.sink, self.image, self.effect, self.deadline) = (sink, image, effect, deadline)
        }
    }

    private enum Content {
        case running(Call)
        case over(Ended)
    }

    /// A call that is over.
    struct Ended {
        /// The answer to a late function.
        let status: Int32
        /// Counts late emissions and logs broken rules.
        let conduct: PluginConduct
        let effect: String?
    }

    private struct Slot {
        var serial: UInt
        var content: Content
    }

    private var slots: [Slot] = []
    /// Slots whose calls are over, the longest over first.
    private var free: [Int] = []
    private var firstFree = 0

    /// A slot is used again only when this many others are free. Until so many later calls are over, late
    /// functions get exact answers and late emissions are counted. About one megabyte.
    private static let leastFree = 1 << 14

    /// How many calls can run at once.
    private let limit: Int

    /// - Parameter limit: how many calls can run at once; at most as many as tokens tell apart.
    init(limit: Int = 1 << CallToken.slotBits) { self.limit = limit }

    /// Begins a call; nil when as many run as can at once.
    mutating func begin(_ call: Call) -> CallToken? {
        let index: Int
        let freeCount = free.count - firstFree
        if freeCount > Self.leastFree || freeCount > 0 && slots.count == limit {
            index = free[firstFree]
            firstFree += 1
            if firstFree * 2 > free.count {
                free.removeFirst(firstFree)
                firstFree = 0
            }
            slots[index].serial += 1
            slots[index].content = .running(call)
        } else {
            index = slots.count
            guard index < limit else { return nil }
            slots.append(Slot(serial: 1, content: .running(call)))
        }
        return CallToken(slot: index, serial: slots[index].serial)
    }

    /// The running call of a token, or the answer to a late function.
    func find(_ token: CallToken) -> Result<Call, Status> {
        switch content(token) {
        case .running(let call): .success(call)
        case .over(let ended): .failure(Status(code: ended.status, ended: ended))
        case nil: .failure(Status(code: SPIN_STOPPED))
        }
    }

    /// The running calls of a plugin.
    func running(of image: PluginImage) -> [CallToken] {
        slots.enumerated().compactMap { index, slot in
            guard case .running(let call) = slot.content, call.image === image else { return nil }
            return CallToken(slot: index, serial: slot.serial)
        }
    }

    /// A timer of a call has ended.
    func forget(_ timer: UInt64, of token: CallToken) {
        if case .running(let call) = content(token) { call.timers.remove(timer) }
    }

    /// A poll of a call has ended.
    func forget(poll: UInt64, of token: CallToken) {
        if case .running(let call) = content(token) { call.polls.remove(poll) }
    }

    /// Ends a call: later functions are answered `answer`.
    ///
    /// - Returns: the call; nil when it was over already.
    mutating func end(_ token: CallToken, answer: Int32) -> Call? {
        guard case .running(let call) = content(token) else { return nil }
        slots[token.slot].content = .over(call.ended(answer))
        free.append(token.slot)
        return call
    }

    /// True while the call of a token runs.
    func isRunning(_ token: CallToken) -> Bool {
        if case .running = content(token) { true } else { false }
    }

    /// Nil for a token of no call, or of one whose slot is used again.
    private func content(_ token: CallToken) -> Content? {
        let index = token.slot
        guard index < slots.count, slots[index].serial == token.serial else { return nil }
        return slots[index].content
    }

    /// A `spin_status` other than `SPIN_OK`.
    struct Status: Error {
        let code: Int32
        /// The call, when it is known and over.
        var ended: Ended?

        /// The plugin used a call that it had ended itself, which breaks a rule. When the host has ended the
        /// call, the plugin cannot know it yet, and breaks none.
        func broke(_ rule: PluginRule, _ call: CallToken) {
            guard code == SPIN_STOPPED, let ended else { return }
            ended.conduct.broke(rule, effect: ended.effect, call: call)
        }
    }
}

extension CallTable.Call {
    fileprivate func ended(_ status: Int32) -> CallTable.Ended {
        CallTable.Ended(status: status, conduct: image.conduct, effect: effect)
    }

    /// The plugin broke a rule in this call.
    func broke(_ rule: PluginRule, _ call: CallToken) {
        image.conduct.broke(rule, effect: effect, call: call)
    }
}
