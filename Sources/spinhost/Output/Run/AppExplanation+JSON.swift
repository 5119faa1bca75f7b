import App
import Records

extension AppExplanation {
    /// The explanation as a record for programs: the outcomes of each feedback.
    var json: Value {
        let feedbacks = feedbacks.map { feedback in
            (feedback.name, Value.list(feedback.outcomes.map { .string($0.rawValue) }))
        }
        return .record([
            ("loop", .string(loop)), ("step", .int(Int64(step))), ("feedbacks", .record(feedbacks)),
        ])
    }
}
