import Interfaces
package import Records

extension PreparedCall {
    /// Whether another process makes the call: `start` then returns before the function does.
    public var isRemote: Bool { interface.remote != nil }

    /// Makes the call, or has the process make it that has loaded the plugin.
    ///
    /// - Parameters:
    ///   - token: the running call.
    ///   - sink: hears `returned` if another process makes the call.
    ///   - lane: as of `RemoteFunction.begin`.
    /// - Throws: as `invoke`, and as `RemoteFunction.begin`.
    public func start(_ token: CallToken, _ sink: any CallSink, lane: UInt64) throws(PluginError) {
        guard let remote = interface.remote else { return try invoke() }
        dropHandles()
        forgetClosed()
        let isOnProbation = interface.probation?.begin() == true
        do throws(PluginError) {
            try remote.begin(self, token, sink, lane: lane, isOnProbation: isOnProbation)
        } catch {
            if isOnProbation { interface.probation?.hasReturned() }
            throw error
        }
    }

    /// The function has returned in another process, or will not return. Called once for a call that has begun, before
    /// the sink hears of it: this counts for its version's probation.
    package func hasReturned(_ error: PluginError?, isOnProbation: Bool) {
        if let error, error.code == .badResult || error.code == .callOverran {
            interface.probation?.fail(error.message)
        }
        if isOnProbation { interface.probation?.hasReturned() }
    }

    /// Writes the inputs.
    package func writeInputs(_ coder: RecordCoder, to writer: ByteWriter) {
        // Safe because the inputs are an initialised record of that type.
        unsafe coder.write(recordAt: UnsafeRawPointer(inputs), to: writer)
    }

    /// Replaces the inputs.
    ///
    /// - Throws: when they are damaged; a part of them may be replaced then.
    package func readInputs(_ coder: RecordCoder, _ reader: inout ByteReader) throws(DamagedBytes) {
        unsafe try coder.read(intoRecordAt: inputs, &reader)
    }

    /// Writes the outcome of the last call that returned.
    package func writeOutcome(_ coder: RecordCoder, to writer: ByteWriter) {
        unsafe coder.write(recordAt: outcomeAddress, to: writer)
    }

    /// Replaces the outcome by that of a call that another process has made.
    ///
    /// - Throws: when it is damaged; a part of it may be replaced then.
    package func readOutcome(_ coder: RecordCoder, _ reader: inout ByteReader) throws(DamagedBytes) {
        unsafe try coder.read(intoRecordAt: outcome, &reader)
        holdOutcome()
    }

    /// What answers the callbacks of the call; nil when it has none.
    package var callbackSink: (any CallbackSink)? { callbacks?.sink }
}
