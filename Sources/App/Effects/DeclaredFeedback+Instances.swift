import HostLoop
import Manifest
import Records

/// On change, for a loop with a key: all instances have the feedback, and each has a last request of its own.
extension DeclaredFeedback {
    var onChangeOfInstances: Feedback<Record, AppEvent> {
        .onChange(
            model.name, request: { [self] in try request($0) }, isEqual: { $0 == $1 },
            carried: { [self] in carried($0) },
            with: { [self] state, request, run in
                guard let variant = variants.variant(state) else { return .finished }
                return try self.run(variant, scope(state, nil)).start(request, run)
            })
    }

    /// The request that a state makes; nil if it makes none.
    private func request(_ state: Record) throws -> RunRequest? {
        guard let variant = variants.variant(state) else { return nil }
        bind(state, nil)
        guard try variant.holds(frame) else { return nil }
        bindRun()
        return variant.request(frame)
    }
}
