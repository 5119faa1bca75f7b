import PluginHost

/// Instances that are made and started together, or not at all.
///
/// The group calls their functions one after the other on the caller's thread. A function may never return,
/// so the caller waits with a `Deadline`.
struct InstanceGroup: Sendable {
    struct Member: Sendable {
        let slot: InstanceSlot
        let instance: PluginInstance
    }

    /// Why an instance could not be made or started.
    struct Fault: Error {
        let error: PluginError
        let slot: InstanceSlot
    }

    let members: [Member]
    /// Keeps the names of the functions that are being called.
    let life: PluginLife

    /// Makes all instances, in order.
    ///
    /// - Parameter isWanted: asked before each instance; no more are made after false.
    /// - Throws: the first failure; `undo` frees the instances that are made.
    func create(while isWanted: () -> Bool = { true }) throws(Fault) {
        for member in members where isWanted() {
            try call("create", member) { () throws(PluginError) in try member.instance.create() }
        }
    }

    /// Restores the saved states, then starts all instances, in order.
    ///
    /// - Parameters:
    ///   - states: one for each member; nil for a member that has no saved state.
    ///   - isWanted: asked before each start; no more are started after false.
    /// - Throws: the first failure; `undo` stops the instances that are started, and frees all.
    func start(
        restoring states: [SavedState?] = [], while isWanted: () -> Bool = { true }
    ) throws(Fault) {
        for (member, state) in zip(members, states) {
            guard let state else { continue }
            try call("restore", member) { () throws(PluginError) in try member.instance.restore(state) }
        }
        for member in members { member.instance.image.openTables() }
        for member in members where isWanted() && !member.instance.isStarted {
            try call("start", member) { () throws(PluginError) in try member.instance.start() }
        }
    }

    /// Gives the made instances the states of instances of an earlier process. An instance that refuses its state, or
    /// crashes with it, is made again: the app begins without that state, which the log says.
    ///
    /// - Parameter states: by the names of the instances.
    /// - Throws: the first failure to make an instance again.
    func restoreOrRenew(_ states: [String: SavedState]) throws(Fault) {
        for member in members where member.instance.isMade {
            guard let state = states[member.slot.name] else { continue }
            do throws(Fault) {
                try call("restore", member) { () throws(PluginError) in try member.instance.restore(state) }
            } catch {
                member.instance.image.report("\(error.error.message); it begins without that state")
                life.calling("destroy", member.slot) { member.instance.destroy() }
                try call("create", member) { () throws(PluginError) in try member.instance.create() }
            }
        }
    }

    /// Stops the instances that are started, in reverse order. A plugin that uses tables of others stops before
    /// them. An instance whose tables are still used at the deadline stays started.
    func stop() {
        var rest = Array(members.reversed().filter(\.instance.isStarted))
        while !rest.isEmpty {
            let index =
                rest.firstIndex { member in
                    !member.instance.image.isUsed(by: rest.map(\.instance.image))
                } ?? rest.startIndex
            let image = rest[index].instance.image
            // Other instances of the plugin continue, for example when a manifest drops one of its loops.
            let isLast = rest.count { $0.instance.image === image } == image.startedInstances
            let member = rest.remove(at: index)
            guard !isLast || life.closeTables(of: member.slot, image) else { continue }
            life.calling("stop", member.slot) { member.instance.stop() }
        }
    }

    /// Frees the instances that are made and not started, in reverse order.
    func destroy() {
        for member in members.reversed() where member.instance.isMade && !member.instance.isStarted {
            life.calling("destroy", member.slot) { member.instance.destroy() }
        }
    }

    /// Stops the instances that are started, and frees all when their plugins have no work on threads of the
    /// host: at once, or on the thread of the last work.
    func undo() {
        stop()
        life.whenIdle(members.map(\.instance.image)[...]) { destroy() }
    }

    private func call(
        _ function: String, _ member: Member, _ body: () throws(PluginError) -> Void
    ) throws(Fault) {
        do throws(PluginError) { try life.calling(function, member.slot, body) } catch {
            throw Fault(error: error, slot: member.slot)
        }
    }
}
