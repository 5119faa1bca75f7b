import HostLoop

/// Operators that bring several flows together. Values are handed on one at a time, from whatever threads
/// they come; the first failure fails the flow and cancels the others.
extension Flow {
    /// A flow of the values of all these flows as they come; completes when all have.
    ///
    /// The flows are subscribed to in order: of synchronous ones, all values of the first come first.
    public static func merge(_ flows: [Flow]) -> Flow {
        Flow { output in
            let join = FlowJoin(output)
            for flow in flows {
                if output.isCancelled { return }
                flow.start(join.add())
            }
            join.completeOne(nil)
        }
    }

    /// A flow of the values of all these flows as they come; completes when all have.
    public static func merge(_ flows: Flow...) -> Flow {
        merge(flows)
    }

    /// A flow of the values of this flow and of others as they come; completes when all have.
    public func merge(with others: Flow...) -> Flow {
        .merge([self] + others)
    }

    /// A flow of the values of these flows, each subscribed to when the one before has completed.
    public static func concatenate(_ flows: [Flow]) -> Flow {
        guard let first = flows.first else { return .none }
        return Flow { output in
            let index = Lock(0)
            let series = FlowSeries(output) { error in
                let index = index.withLock { index in
                    index += 1
                    return index
                }
                return error == nil && index < flows.count ? .flow(flows[index]) : .end(error)
            }
            series.start(first)
        }
    }

    /// A flow of the values of this flow, and of another one when this has completed.
    public func append(_ flow: Flow) -> Flow {
        .concatenate([self, flow])
    }

    /// A flow of these values and then of those of this flow.
    public func prepend(_ values: Value...) -> Flow {
        .concatenate([.from(values), self])
    }

    /// A flow of the values of all flows that `transform` makes of the values; completes when this flow and
    /// all of those have.
    public func flatMap<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Flow<Output>
    ) -> Flow<Output> {
        Flow<Output> { start(FlowMapping($0, replaces: false, transform: transform)) }
    }

    /// A flow of the values of the newest flow that `transform` made: the next value cancels the flow that
    /// the one before has brought. Completes when this flow and the newest of those have.
    public func flatMapLatest<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Flow<Output>
    ) -> Flow<Output> {
        Flow<Output> { start(FlowMapping($0, replaces: true, transform: transform)) }
    }
}
