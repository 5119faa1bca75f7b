import Interfaces
import PluginHost
import Records

/// A function of a plugin in a worker. May be used from any thread.
final class WorkerFunction: RemoteFunction {
    let number: UInt64
    let coders: CallCoders
    let plugin: WorkerPlugin
    let isEmitting: Bool
    private let request: FunctionRequest

    init(_ number: UInt64, _ request: FunctionRequest, _ signature: CallSignature, of plugin: WorkerPlugin) {
        (self.number, self.request, self.plugin) = (number, request, plugin)
        (coders, isEmitting) = (CallCoders(signature), signature.function.isEmitting)
    }

    var name: String { request.name }

    /// Has the process prepare calls.
    func prepare(whileStarting: Bool = false) throws(PluginError) {
        _ = try plugin.worker.ask(.prepare, whileStarting: whileStarting) { body in
            body.put(plugin.number)
            body.put(number)
            request.write(to: body)
        }
    }

    func begin(_ call: RemoteCall) throws(PluginError) { try plugin.worker.begin(Flight(call, self)) }
}

/// A call that a worker makes, until its function has returned.
// Safe because its variables are used under the lock of the worker's state.
final class Flight: @unchecked Sendable {
    let call: RemoteCall
    let function: WorkerFunction
    /// The milliseconds of the monotonic clock when the call was cancelled; nil while it was not.
    var cancelledAt: ContinuousClock.Instant?
    /// The worker's processor time when the call was seen first.
    var processorTime: Duration?

    init(_ call: RemoteCall, _ function: WorkerFunction) { (self.call, self.function) = (call, function) }

    var number: UInt { call.token.bits }

    /// Writes the message.
    func write(to body: ByteWriter, timeout: Duration?) {
        let instance = (call.instance?.remote as? WorkerInstance)?.number
        let key = call.sink.key
        var parts = CallParts()
        if instance != nil { parts.insert(.instance) }
        if timeout != nil { parts.insert(.timeout) }
        if key != nil { parts.insert(.key) }
        body.put(UInt64(number))
        body.put(function.number)
        body.put(byte: parts.rawValue)
        body.put(instance.map { $0 << 1 | 1 } ?? call.lane << 1)
        if let instance { body.put(instance) }
        if let timeout { body.put(signed: timeout.ringNanoseconds) }
        if let key {
            body.put(key)
            body.put(UInt64(call.sink.attempt))
        }
        for (index, callback) in function.coders.callbacks.enumerated() {
            let fallback = call.call.callbackSink?.fallback(index)
            body.put(byte: fallback == nil ? 0 : 1)
            if let fallback { callback.result?.write(fallback, to: body) }
        }
        call.call.writeInputs(function.coders.inputs, to: body)
    }
}
