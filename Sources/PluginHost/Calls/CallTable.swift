import CPluginABI

/// The calls that are running, found by their tokens. A plain value: its owner locks it.
struct CallTable {
    /// A call that is not over.
    // Safe because what changes is used under the lock of the table, and once it is over by who ended it.
    final class Call: @unchecked Sendable {
        let sink: any CallSink
        let image: PluginImage
        /// The effect's name, as far as it is known.
        let effect: String?
        /// When the call is to be over, in nanoseconds of the host's clock.
        let deadline: Int64
        var onCancel: PluginCallback?
        var timers: Set<UInt64> = []
        /// What was allocated for it; freed with the call.
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
        /// What a late function is answered.
        let status: Int32
        /// Where a late emission is counted, and what else comes late is told.
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

    /// A slot is used again only when so many others are free: late functions get exact answers, and late emissions are
    /// counted, until so many later calls are over. About one megabyte.
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

    /// The running call of a token, or what a late function is answered.
    func find(_ token: CallToken) -> Result<Call, Status> {
        switch content(token) {
        case .running(let call): .success(call)
        case .over(let ended): .failure(Status(code: ended.status, ended: ended))
        case nil: .failure(Status(code: SPIN_STOPPED))
        }
    }

    /// The same for an emission: a late one is counted where its call was.
    func findEmitting(_ token: CallToken) -> Result<Call, Status> {
        let found = find(token)
        if case .failure(let status) = found { status.ended?.conduct.late.count() }
        return found
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

    /// Ends a call: later functions are answered `answer`. The call as it was, or what this function is
    /// answered when the call was over already.
    mutating func end(_ token: CallToken, answer: Int32) -> Result<Call, Status> {
        let found = find(token)
        if case .success(let call) = found {
            slots[token.slot].content = .over(call.ended(answer))
            free.append(token.slot)
        }
        return found
    }

    /// True while the call of a token runs.
    func isRunning(_ token: CallToken) -> Bool {
        if case .running = content(token) { true } else { false }
    }

    /// Nil for what is no call any more or never was one.
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

        /// The plugin did something after it had ended the call itself, which is against a rule. After the host did, it
        /// is none: the plugin cannot know yet.
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
