import Expressions
import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// One variant of a feedback in one running loop: its condition, its arguments, the call, and what becomes of the answer.
///
/// Used on the loop's executor only, one at a time.
final class EffectSite {
    let effect: EffectReference
    let variant: FeedbackVariant
    let loop: LoopModel
    let frame: ExpressionFrame
    private let makeCall: () -> PreparedCall
    private let arguments: [ArgumentSlot]
    private(set) var call: PreparedCall
    // Where computed arguments are put, to be compared with the last ones.
    private var scratch: Record
    private var hasConstants = false

    init(
        _ effect: EffectReference, _ variant: FeedbackVariant, of loop: LoopModel, frame: ExpressionFrame,
        makeCall: @escaping () -> PreparedCall
    ) {
        (self.effect, self.variant, self.loop, self.frame) = (effect, variant, loop, frame)
        self.makeCall = makeCall
        arguments = variant.arguments.map { ArgumentSlot($0, in: effect.signature.inputs) }
        call = makeCall()
        scratch = Record(effect.signature.inputs)
    }

    /// Whether the feedback runs at all for what the frame means now.
    func holds() throws(RunFault) -> Bool { try variant.condition?.holds(frame) ?? true }

    /// Takes the arguments anew; true when one differs from the last.
    func updateArguments() throws(RunFault) -> Bool {
        var changed = false
        if !hasConstants { try storeConstants() }
        // Safe because every address is an initialised value of the argument's type.
        for argument in arguments where argument.varies {
            let last = unsafe call.inputAddress(argument.model.input)
            if case .field(let field) = argument.model.source {
                if unsafe argument.update(last, from: frame.address(of: field)) { changed = true }
            } else {
                let offset = effect.signature.inputs.fields[argument.model.input].offset
                let new = unsafe scratch.unsafeMutableBase() + offset
                unsafe try argument.evaluate(frame, into: new)
                if unsafe argument.update(last, from: UnsafeRawPointer(new)) { changed = true }
            }
        }
        return changed
    }

    private func storeConstants() throws(RunFault) {
        for argument in arguments where !argument.varies {
            // Safe because the address is an initialised value of the argument's type.
            unsafe try argument.evaluate(frame, into: call.inputAddress(argument.model.input))
        }
        hasConstants = true
    }

    /// Calls an effect that answers by returning, and emits what the manifest makes of the answer.
    ///
    /// Arguments that are fields are read where they lie, in the records that the frame means now.
    func run(_ run: Run<AppEvent>) throws(RunFault) {
        for argument in arguments {
            guard case .field(let field) = argument.model.source else { continue }
            unsafe call.point(parameter: argument.model.parameter, at: frame.address(of: field))
        }
        do { try call.invoke() } catch { throw RunFault(error, of: effect) }
        // Safe because the outcome lives as long as the call.
        unsafe frame.bind(.call, to: call.outcomeAddress)
        if let failure = variant.failure, try failure.holds(frame) {
            throw RunFault(failureOf: effect, outcomeText)
        }
        guard let batch = variant.batches.first else { return }
        if let only = batch.emissions.first, batch.emissions.count == 1 {
            if let event = try only.event(of: loop, frame.frame) { run.emit(event) }
        } else {
            run.emit(contentsOf: try batch.events(of: loop, frame.frame))
        }
    }

    /// Hands the arguments over to a call that goes on after this returns; the next call gets memory of its own.
    func takeCall() -> PreparedCall {
        let taken = call
        let next = makeCall()
        for argument in arguments {
            let type = effect.signature.inputs.fields[argument.model.input].type
            // Safe because both are initialised values of the type.
            unsafe ValueMemory.assign(
                next.inputAddress(argument.model.input), from: UnsafeRawPointer(taken.inputAddress(argument.model.input)),
                as: type)
        }
        call = next
        return taken
    }

    private var outcomeText: String {
        let outcome = call.outcomeValue
        let result = outcome["result"].map { "it returned \($0.json)" } ?? "it returned"
        guard case .int(let number)? = outcome["errno"], number != 0 else { return result }
        return "\(result), errno \(number) (\(SystemError(number: Int32(number)).text))"
    }
}

extension EmissionBatch {
    /// The events of all emissions that hold, in order.
    func events(of loop: LoopModel, _ frame: Frame) throws(RunFault) -> [AppEvent] {
        var events: [AppEvent] = []
        for emission in emissions {
            if let event = try emission.event(of: loop, frame) { events.append(event) }
        }
        return events
    }
}

extension EmissionModel {
    /// The event, or nil when its condition does not hold.
    func event(of loop: LoopModel, _ frame: Frame) throws(RunFault) -> AppEvent? {
        if let condition, !(try condition.holds(frame)) { return nil }
        var payload = Record(loop.events[event].type)
        // Safe because the payload was made here, with every field initialised.
        let base = unsafe payload.unsafeMutableBase()
        for assignment in assignments { unsafe try assignment.evaluate(frame, into: base + assignment.offset) }
        return AppEvent(index: event, payload: payload)
    }
}
