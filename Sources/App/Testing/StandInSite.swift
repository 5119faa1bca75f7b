import HostLoop
import Interfaces
import Manifest
import Records

/// What a test has in place of the effect of one variant of a feedback, made ready; no library is opened for it.
// Safe because it never changes, and what is read is in the frame that is given.
final class StandInSite: @unchecked Sendable {
    fileprivate enum Answer {
        case outcome(RecordWriter)
        case emissions([Emission])
    }

    fileprivate enum Emission {
        case payload(emitter: String, type: RecordType, RecordWriter)
        case failure(RecordWriter)
    }

    /// The effect that is not called.
    let effect: EffectReference
    fileprivate let answer: Answer

    init(_ effect: EffectReference, _ answer: TestDoubleModel.Answer) {
        self.effect = effect
        switch answer {
        case .outcome(let assignments): self.answer = .outcome(RecordWriter(assignments))
        case .emissions(let emissions):
            self.answer = .emissions(
                emissions.map { emission in
                    switch emission {
                    case .payload(let emitter, let type, let assignments):
                        .payload(emitter: emitter, type: type, RecordWriter(assignments))
                    case .failure(let assignments): .failure(RecordWriter(assignments))
                    }
                })
        }
    }
}

extension ApartRun {
    /// Lets the stand-in answer, and sends what the manifest makes of the answer, as if the effect had been called.
    ///
    /// - Throws: what the effect would have failed with, or a fault of the test's own expressions.
    func answer(of standIn: StandInSite, _ run: Run<AppEvent>) throws(RunFault) {
        switch standIn.answer {
        case .outcome(let writer):
            try scene.evaluate { frame throws(RunFault) in
                let outcome = try record(standIn.effect.signature.outcome, writer, frame)
                // Safe because the record outlives the use of the frame.
                unsafe frame.bind(.call, to: outcome.unsafeBase)
                defer { withExtendedLifetime(outcome) {} }
                if let failure = site.answers.failure, try failure.holds(frame) {
                    throw RunFault(outcome: outcome.value, of: standIn.effect)
                }
                send(site.answers.returned, frame, run)
            }
        case .emissions(let emissions):
            for emission in emissions {
                try scene.evaluate { frame throws(RunFault) in try emit(emission, standIn, frame, run) }
            }
        }
    }

    private func emit(
        _ emission: StandInSite.Emission, _ standIn: StandInSite, _ frame: ExpressionFrame,
        _ run: Run<AppEvent>
    ) throws(RunFault) {
        switch emission {
        case .payload(let emitter, let type, let writer):
            let payload = try record(type, writer, frame)
            // Safe because the record outlives the use of the frame.
            unsafe frame.bind(.value, to: payload.unsafeBase)
            defer { withExtendedLifetime(payload) {} }
            send(site.answers.emission(of: emitter), frame, run)
        case .failure(let writer):
            let failure = try record(FailureRecord.type, writer, frame)
            guard case .string(let text)? = failure["message"], case .int(let code)? = failure["code"] else {
                preconditionFailure("a failure has a message and a code")
            }
            throw RunFault(failureOf: standIn.effect, code: code, text: text)
        }
    }

    private func record(
        _ type: RecordType, _ writer: RecordWriter, _ frame: ExpressionFrame
    ) throws(RunFault) -> Record {
        var record = Record(type)
        // Safe because the record was made here, with every field initialised.
        unsafe try writer.write(frame, into: record.unsafeMutableBase())
        return record
    }
}
