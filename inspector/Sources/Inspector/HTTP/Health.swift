import NIOHTTP1

/// The answers of `/live` and `/ready`.
struct Health: Sendable {
    /// The reason why the app is not well; nil if it is.
    let problem: (code: String, message: String)?
    private let app: String?

    /// - Parameter isReadiness: whether the app must have begun, and its journal must be written.
    init(_ outcome: Result<HostAnswers, HostFailure>, isReadiness: Bool) {
        switch outcome {
        case .failure(let failure):
            problem = (failure.code, failure.message)
            app = nil
        case .success(let answers):
            app = answers.greeting.app
            problem = isReadiness ? Self.problem(in: answers["counters"]) : nil
        }
    }

    private static func problem(in counters: JSON) -> (code: String, message: String)? {
        guard counters["ok"] == .bool(true) else {
            let error = counters["error"]
            return (
                error?["code"]?.text ?? "unknown", error?["message"]?.text ?? "the host refused the request"
            )
        }
        let isBroken = counters["counters"]?.elements.contains { $0["journal"]?["broken"] == .bool(true) }
        return isBroken == true
            ? ("journal-failed", "the journal cannot be written any more") : nil
    }

    /// 200, or 503 with the reason.
    var reply: Reply {
        guard let problem else {
            return Reply(.ok, .record([("ok", .bool(true)), ("app", app.map(JSON.string) ?? .null)]))
        }
        let error = JSON.record([("code", .string(problem.code)), ("message", .string(problem.message))])
        return Reply(.serviceUnavailable, .record([("ok", .bool(false)), ("error", error)]))
    }
}
