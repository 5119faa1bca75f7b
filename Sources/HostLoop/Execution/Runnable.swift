/// A job of an executor: a slice of a loop, a call of an effect, or the first job of a serial executor.
@usableFromInline
protocol Runnable: AnyObject, Sendable {
    func run()
}
