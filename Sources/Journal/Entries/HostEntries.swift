public import Records

/// Entries that any thread may write, as they depend on no other.
extension ByteWriter {
    /// An epoch begins.
    public func put(_ epoch: Epoch) {
        begin(.epoch, loop: 0)
        epoch.write(to: self)
    }

    /// A loop has sent a message.
    ///
    /// - Parameters:
    ///   - loop: the sender.
    ///   - feedback: the feedback that sends it, by its index in the schema.
    ///   - payload: a record of the message's type, for which `coder` is.
    public func sent(
        loop: Int, feedback: Int, gear: Int, message: Int, _ payload: borrowing Record, by coder: RecordCoder
    ) {
        begin(.sent, loop: loop)
        putSent(feedback: feedback, gear: gear, message: message)
        coder.write(payload, to: self)
    }

    /// What an entry of a message has before its payload.
    func putSent(feedback: Int, gear: Int, message: Int) {
        put(count: feedback)
        put(count: gear)
        put(count: message)
    }

    /// A fault in a part of a loop.
    ///
    /// - Parameter part: such as `feedback:left`.
    public func fault(loop: Int, time: Int64, code: String, part: String, message: String) {
        begin(.fault, loop: loop)
        put(signed: time)
        put(code)
        put(part)
        put(message)
    }

    /// A plugin has another version.
    ///
    /// - Parameters:
    ///   - before: the version before.
    ///   - plugin: the version that is called from now on. Its hash is empty if it is not known.
    public func swapped(time: Int64, from before: String, to plugin: Epoch.Plugin, isRollBack: Bool) {
        begin(.swapped, loop: 0)
        put(signed: time)
        put(before)
        put(plugin.name)
        put(plugin.version)
        put(plugin.hash)
        put(byte: isRollBack ? 1 : 0)
    }

    /// An instance of a plugin has stopped in order.
    ///
    /// - Parameters:
    ///   - instance: its name, such as `sensor` or `sensor of left`.
    ///   - state: what another instance of that name takes over, in the form of the host.
    public func kept(instance: String, state: [UInt8]) {
        begin(.kept, loop: 0)
        put(instance)
        put(state)
    }
}
