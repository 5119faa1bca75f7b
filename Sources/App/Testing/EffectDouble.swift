import HostLoop
import Interfaces
import Manifest
import Records

/// A test's double of an effect: its answers for each variant of the feedback, prepared. It opens no library.
// Safe because it never changes, and all reads go through the given frame.
final class EffectDouble: @unchecked Sendable {
    fileprivate enum Answer {
        case outcome(RecordWriter)
        case emissions([Emission])
    }

    fileprivate enum Emission {
        case payload(emitter: String, type: RecordType, RecordWriter)
        case failure(RecordWriter)
    }

    /// The effect that is not called.
    fileprivate let effect: EffectReference
    /// By the index of a variant.
    fileprivate let answers: [Answer]

    init(_ effect: EffectReference, _ answers: [TestDoubleModel.Answer]) {
        self.effect = effect
        self.answers = answers.map { answer in
            switch answer {
            case .outcome(let assignments): .outcome(RecordWriter(assignments))
            case .emissions(let emissions): .emissions(emissions.map(Self.emission))
            }
        }
    }

    private static func emission(_ model: TestDoubleModel.Emission) -> Emission {
        switch model {
        case .payload(let emitter, let type, let assignments):
            .payload(emitter: emitter, type: type, RecordWriter(assignments))
        case .failure(let assignments): .failure(RecordWriter(assignments))
        }
    }
}

extension FeedbackRun {
    /// Lets the double answer, and sends what the manifest makes of the answer, as if the effect had been
    /// called.
    ///
    /// - Throws: the failure of the effect that the double plays, or a fault of the test's own expressions.
    func answer(of double: EffectDouble, _ run: Run<AppEvent>) throws(RunFault) {
        switch double.answers[variant.index] {
        case .outcome(let writer):
            try scope.evaluate { frame throws(RunFault) in
                let outcome = try record(double.effect.signature.outcome, writer, frame)
                // Safe because the record outlives the use of the frame.
                unsafe frame.bind(.call, to: outcome.unsafeBase)
                defer { withExtendedLifetime(outcome) {} }
                try variant.answers.answer(
                    frame, outcome.value, of: double.effect, to: run, in: scope.state, reporter)
            }
        case .emissions(let emissions):
            for emission in emissions {
                try scope.evaluate { frame throws(RunFault) in try emit(emission, double, frame, run) }
            }
        }
    }

    private func emit(
        _ emission: EffectDouble.Emission, _ double: EffectDouble, _ frame: ExpressionFrame,
        _ run: Run<AppEvent>
    ) throws(RunFault) {
        switch emission {
        case .payload(let emitter, let type, let writer):
            let payload = try record(type, writer, frame)
            // Safe because the record outlives the use of the frame.
            unsafe frame.bind(.value, to: payload.unsafeBase)
            defer { withExtendedLifetime(payload) {} }
            variant.answers.send(variant.answers.emission(of: emitter), frame, run, in: scope.state, reporter)
        case .failure(let writer):
            let failure = try record(FailureRecord.type, writer, frame)
            guard case .string(let text)? = failure["message"], case .int(let code)? = failure["code"] else {
                preconditionFailure("a failure has a message and a code")
            }
            throw RunFault(failureOf: double.effect, code: code, text: text)
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
