import App

extension AppRun {
    /// Waits for the end; once the time of the test is over, the run is stopped.
    func finished() async -> AppEnd {
        await withTaskCancellationHandler {
            await end()
        } onCancel: {
            stop()
        }
    }
}
