import App

/// What a swap reports after it has happened, such as a roll-back.
struct LaterReports {
    let reports: AsyncStream<SwapReport>
    let onReport: @Sendable (SwapReport) -> Void

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: SwapReport.self)
        reports = stream
        onReport = { continuation.yield($0) }
    }

    func first() async -> SwapReport? { await reports.first { $0.outcome != .swapped } }
}
