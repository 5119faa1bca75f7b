import Interfaces
import PluginHost
import Records

/// A function of a plugin in a worker. May be used from any thread.
final class WorkerFunction: RemoteFunction {
    let number: UInt64
    let coders: CallCoders
    let plugin: WorkerPlugin
    let isEmitting: Bool
    let request: FunctionRequest

    init(_ number: UInt64, _ request: FunctionRequest, _ signature: CallSignature, of plugin: WorkerPlugin) {
        (self.number, self.request, self.plugin) = (number, request, plugin)
        (coders, isEmitting) = (CallCoders(signature), signature.function.isEmitting)
    }

    var name: String { request.name }

    /// Has the process prepare calls.
    func prepare(in process: WorkerProcess) throws(PluginError) {
        _ = try plugin.worker.ask(.prepare, in: process) { body in
            body.put(plugin.number)
            body.put(number)
            request.write(to: body)
        }
    }

    func begin(
        _ call: PreparedCall, _ token: CallToken, _ sink: any CallSink, lane: UInt64, isOnProbation: Bool
    ) throws(PluginError) {
        try plugin.worker.begin(Flight(call, of: self, token, sink, lane: lane, isOnProbation: isOnProbation))
    }
}

/// A call that a worker makes, until its function has returned.
// Safe because its variables are used under the lock of the worker's state.
final class Flight: @unchecked Sendable {
    let call: PreparedCall
    let function: WorkerFunction
    let token: CallToken
    let sink: any CallSink
    /// The number of the instance that it is for.
    private let instance: UInt64?
    /// The instance's lane, or that of the feedback; 0: any number of calls at once.
    let lane: UInt64
    private let isOnProbation: Bool
    /// Calls of one lane are made in this order.
    var order: UInt64 = 0
    var isCancelled = false
    /// When the keeping thread has first seen that the call is made, and was cancelled.
    var cancelledSince: ContinuousClock.Instant?
    /// The worker's processor time when the keeping thread has first seen that the call is made.
    var processorTime: Duration?

    /// Parameters as of `RemoteFunction.begin`.
    init(
        _ call: PreparedCall, of function: WorkerFunction, _ token: CallToken, _ sink: any CallSink,
        lane: UInt64, isOnProbation: Bool
    ) {
        (self.call, self.function, self.token, self.sink) = (call, function, token, sink)
        instance = (call.instance?.remote as? WorkerInstance)?.number
        self.lane = instance.map { $0 << 1 | 1 } ?? lane << 1
        self.isOnProbation = isOnProbation
    }

    var number: UInt { token.bits }
    var ticket: Worker.Ticket { Worker.Ticket(number: number, order: order) }

    /// The function has returned, or will not return.
    func returned(_ error: PluginError?) {
        call.hasReturned(error, isOnProbation: isOnProbation)
        sink.returned(token, error)
    }

    /// Writes the message.
    func write(to body: ByteWriter, timeout: Duration?) {
        let key = sink.key
        var parts = CallParts()
        if instance != nil { parts.insert(.instance) }
        if timeout != nil { parts.insert(.timeout) }
        if key != nil { parts.insert(.key) }
        body.put(UInt64(number))
        body.put(function.number)
        body.put(byte: parts.rawValue)
        body.put(lane)
        if let instance { body.put(instance) }
        if let timeout { body.put(signed: timeout.wholeNanoseconds) }
        if let key {
            body.put(key)
            body.put(UInt64(sink.attempt))
        }
        for (index, callback) in function.coders.callbacks.enumerated() {
            let fallback = call.callbackSink?.fallback(index)
            body.put(byte: fallback == nil ? 0 : 1)
            if let fallback { callback.result?.write(fallback, to: body) }
        }
        call.writeInputs(function.coders.inputs, to: body)
    }
}
