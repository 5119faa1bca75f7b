import PluginHost

/// Instances that are made and started together, or not at all. Their functions are called one after the other, on the
/// thread of the caller, and may never return: the caller waits with a `Deadline`.
struct InstanceGroup: Sendable {
    struct Member: Sendable {
        let seat: InstanceSeat
        let instance: PluginInstance
    }

    /// Why one could not be made or started.
    struct Fault: Error {
        let error: PluginError
        let seat: InstanceSeat
    }

    let members: [Member]
    /// Where it is noted which function is called.
    let life: PluginLife

    /// Makes all, in order.
    ///
    /// - Parameter isWanted: asked before each; false ends it, as after a failure.
    /// - Throws: the first failure; `undo` frees those that are made.
    func create(while isWanted: () -> Bool = { true }) throws(Fault) {
        for member in members where isWanted() {
            try call("create", member) { () throws(PluginError) in try member.instance.create() }
        }
    }

    /// Gives each the state that it takes over, then starts all, in order.
    ///
    /// - Parameter states: for each member; nil for one that takes over none.
    /// - Throws: the first failure; `undo` stops those that are started, and frees all.
    func start(
        restoring states: [SavedState?] = [], while isWanted: () -> Bool = { true }
    ) throws(Fault) {
        for (member, state) in zip(members, states) {
            guard let state else { continue }
            try call("restore", member) { () throws(PluginError) in try member.instance.restore(state) }
        }
        for member in members where isWanted() && !member.instance.isStarted {
            try call("start", member) { () throws(PluginError) in try member.instance.start() }
        }
    }

    /// Stops those that are started, the last one first.
    func stop() {
        for member in members.reversed() where member.instance.isStarted {
            life.calling("stop", member.seat) { member.instance.stop() }
        }
    }

    /// Frees those that are made, the last one first.
    func destroy() {
        for member in members.reversed() where member.instance.isMade {
            life.calling("destroy", member.seat) { member.instance.destroy() }
        }
    }

    /// Stops and frees them.
    func undo() {
        stop()
        destroy()
    }

    private func call(
        _ function: String, _ member: Member, _ body: () throws(PluginError) -> Void
    ) throws(Fault) {
        do throws(PluginError) { try life.calling(function, member.seat, body) } catch {
            throw Fault(error: error, seat: member.seat)
        }
    }
}
