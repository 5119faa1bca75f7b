/// Something an executor runs: a slice of a loop, a call of an effect, a lane of jobs.
@usableFromInline
protocol Runnable: AnyObject, Sendable {
    func run()
}
