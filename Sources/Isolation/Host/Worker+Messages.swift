import CPluginABI
import CRing
import HostLoop
import Interfaces
import PluginHost
import Records
import Synchronization

// Messages from a worker. Each number and text is checked; a message that no worker sends ends the worker.
extension Worker {
    /// Takes one message of the process.
    func take(_ kind: UInt32, _ message: inout ByteReader, of process: WorkerProcess) throws(DamagedBytes) {
        switch WorkerMessage(rawValue: kind) {
        case .reply:
            let (number, isAnswer) = (try message.number(), try message.byte() != 0)
            if isAnswer {
                try answered(number, .success(unsafe Array(message.raw(message.rest))))
            } else {
                try answered(number, .failure(PluginError(&message)))
            }
        case .returned: try returned(&message)
        case .emitted: try emitted(&message, process)
        case .rejected:
            let call = try running(&message)
            let (emitter, reason) = (try message.optionalText(), try message.text())
            call?.sink.rejected(emitter: emitter, reason: reason)
        case .finished:
            if let call = try running(&message) {
                endLasting(call.token)
                services.finish(call.token)
            }
        case .failed:
            let call = try running(&message)
            let (code, text) = (Int32(truncatingIfNeeded: try message.signed()), try message.text())
            if let call {
                endLasting(call.token)
                services.fail(call.token, code: code < 0 ? code : SPIN_FAILED, text: text)
            }
        case .roomWanted: try roomWanted(&message, process)
        case .callback: try callback(&message, process)
        case .callbackRefused:
            let flight = try flight(&message)
            let error = try PluginError(&message)
            flight?.call.callbackSink?.refused(error)
        case .late: services.countLateEmission()
        case .logged: try logged(&message)
        case .printed:
            let (text, place) = (try message.text(), try Self.place(&message))
            AnswerPlaces.give(process.memory, at: place, services.print(text) ? SPIN_OK : SPIN_FAILED)
        case .progress, nil: throw DamagedBytes("a message of the unknown kind \(kind)")
        }
        guard message.isAtEnd else { throw DamagedBytes("a message is longer than it should be") }
    }

    /// A running call of one of the worker's plugins; nil if it is over.
    private func running(
        _ message: inout ByteReader
    ) throws(DamagedBytes) -> (token: CallToken, sink: any CallSink, plugin: WorkerPlugin)? {
        let token = CallToken(bits: UInt(try message.number()))
        guard let call = HostServices.running(token) else { return nil }
        guard let plugin = call.image.remote as? WorkerPlugin, plugin.worker === self else {
            throw DamagedBytes("a call of another plugin")
        }
        return (token, call.sink, plugin)
    }

    private func flight(_ message: inout ByteReader) throws(DamagedBytes) -> Flight? {
        let number = UInt(try message.number())
        return state.withLock { $0.flights[number] }
    }

    private func endLasting(_ token: CallToken) { _ = state.withLock { $0.lasting.remove(token.bits) } }

    private static func place(_ message: inout ByteReader) throws(DamagedBytes) -> UInt32 {
        let place: UInt32 = try message.fixed()
        guard place < UInt32(RING_ANSWERS) else {
            throw DamagedBytes("there is no place \(place) for answers")
        }
        return place
    }

    private func returned(_ message: inout ByteReader) throws(DamagedBytes) {
        let number = UInt(try message.number())
        guard let flight = state.withLock({ $0.flights.remove(number) }) else {
            throw DamagedBytes("no such call runs")
        }
        var error: PluginError?
        do throws(DamagedBytes) {
            if try message.byte() != 0 {
                try flight.call.readOutcome(flight.function.coders.outcome, &message)
            } else {
                error = try PluginError(&message)
            }
        } catch {
            // It fails with the process.
            state.withLock { $0.flights.insert(flight, for: flight.number) }
            throw error
        }
        // Its end comes later, unless it came before.
        if flight.function.isEmitting, error == nil, services.isRunning(flight.token) {
            state.withLock { _ = $0.lasting.insert(number) }
        }
        settle(flight, error)
    }

    private func emitted(_ message: inout ByteReader, _ process: WorkerProcess) throws(DamagedBytes) {
        let token = CallToken(bits: UInt(try message.number()))
        let number = try message.number()
        let sink: any CallSink
        let plugin: WorkerPlugin
        switch HostServices.emitting(token) {
        case .running(let found, let image):
            guard let own = image.remote as? WorkerPlugin, own.worker === self else {
                throw DamagedBytes("a call of another plugin")
            }
            (sink, plugin) = (found, own)
        case .over(let status):
            let rest = message.rest - MemoryLayout<UInt32>.size
            guard rest >= 0 else { throw DamagedBytes("a message is too short") }
            _ = unsafe try message.raw(rest)
            return AnswerPlaces.give(process.memory, at: try Self.place(&message), status)
        }
        let emissions = plugin.emissions.all
        guard number < UInt64(emissions.count) else { throw DamagedBytes("there is no emission \(number)") }
        let emission = emissions[Int(number)]
        let payload = try emission.coder.read(&message)
        let place = try Self.place(&message)
        // Safe because the payload lives for the call.
        let status = withExtendedLifetime(payload) {
            unsafe sink.emitted(emitter: emission.name, payload: payload.unsafeBase, wait: .none)
        }
        AnswerPlaces.give(process.memory, at: place, status)
    }

    private func roomWanted(_ message: inout ByteReader, _ process: WorkerProcess) throws(DamagedBytes) {
        let call = try running(&message)
        let (wait, place) = (try message.number(), try Self.place(&message))
        guard let call else { return AnswerPlaces.give(process.memory, at: place, SPIN_STOPPED) }
        // Each wait takes memory of the host.
        guard process.roomWaits.add(1, ordering: .relaxed).newValue <= RING_ANSWERS else {
            process.roomWaits.subtract(1, ordering: .relaxed)
            return AnswerPlaces.give(process.memory, at: place, SPIN_BAD_VALUE)
        }
        let isWaiting = call.sink.whenRoom { [weak process] in
            process?.roomWaits.subtract(1, ordering: .relaxed)
            process?.send(.room) { $0.put(wait) }
        }
        if isWaiting == nil { process.roomWaits.subtract(1, ordering: .relaxed) }
        AnswerPlaces.give(process.memory, at: place, isWaiting == nil ? SPIN_BAD_VALUE : SPIN_OK)
    }

    private func callback(_ message: inout ByteReader, _ process: WorkerProcess) throws(DamagedBytes) {
        let flight = try flight(&message)
        guard let flight, let sink = flight.call.callbackSink else {
            throw DamagedBytes("no such call runs")
        }
        let index = try message.index(below: flight.function.coders.callbacks.count)
        let value = try flight.function.coders.callbacks[index].value.read(&message)
        let place = try Self.place(&message)
        guard !sink.isOver else { return AnswerPlaces.give(process.memory, at: place, SPIN_CANCELLED) }
        var word: UInt64 = 0
        // Safe because the value lives for the call, and the result has 8 bytes.
        let isAnswered = withExtendedLifetime(value) {
            unsafe withUnsafeMutableBytes(of: &word) { word in
                unsafe sink.responder(index)(value.unsafeBase, word.baseAddress!)
            }
        }
        AnswerPlaces.give(process.memory, at: place, isAnswered ? SPIN_OK : SPIN_FAILED, word)
    }

    private func logged(_ message: inout ByteReader) throws(DamagedBytes) {
        let number = try message.number()
        let line = try LogMessage(&message)
        let plugin = state.withLock { $0.plugins[number] }
        // Another plugin's call would show in the wrong place.
        let token = line.call == 0 ? nil : CallToken(bits: UInt(line.call))
        let caller = token.flatMap { HostServices.running($0) }
        let isOwn = caller.map { plugin != nil && $0.image.remote === plugin } ?? true
        services.write(
            PluginLogLine(
                plugin: plugin?.identity?.id ?? setup.name, version: plugin?.identity?.version ?? "",
                call: isOwn ? token : nil, level: line.level, text: line.text, fields: line.fields,
                matter: line.matter))
    }
}
