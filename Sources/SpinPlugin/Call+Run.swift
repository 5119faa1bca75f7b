import CPluginABI

extension Call {
    /// The key of the call's run, for another side that must not do the same work twice: 1 to 255 printable ASCII
    /// characters. All calls of one run have the same key, and no other run has it. Nil for a call that is over,
    /// and for a call of no run, such as one of `create`. From any thread.
    public var runKey: String? {
        // Safe because the host validates the token and writes at most as many bytes as there are.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(SPIN_RUN_KEY_SIZE)) { key in
            guard unsafe spin_run_key(token, key.baseAddress, key.count) == SPIN_OK else { return nil }
            return unsafe String(cString: key.baseAddress!)
        }
    }

    /// How many calls with the same key the host has made, this one included: 1 for the first. 0 for a call that
    /// is over, and for a call of no run. From any thread.
    public var attempt: UInt32 {
        // Safe because the host validates the token.
        unsafe spin_run_attempt(token)
    }
}
