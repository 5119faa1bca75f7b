import HostLoop

/// Operators that combine several flows. The flows may emit on several threads; the combined flow passes on
/// one value at a time. The first failure fails the combined flow and cancels the other flows.
extension Flow {
    /// Merges flows: emits their values as they arrive, and completes when all flows have completed.
    ///
    /// It subscribes to the flows in order. If they are synchronous, it emits all values of the first flow,
    /// then those of the second, and so on.
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

    /// Merges flows: emits their values as they arrive, and completes when all flows have completed.
    public static func merge(_ flows: Flow...) -> Flow {
        merge(flows)
    }

    /// Merges this flow with others: emits their values as they arrive, and completes when all have.
    public func merge(with others: Flow...) -> Flow {
        .merge([self] + others)
    }

    /// Concatenates flows: subscribes to each flow when the previous one has completed.
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

    /// Appends another flow, which starts when this flow has completed.
    public func append(_ flow: Flow) -> Flow {
        .concatenate([self, flow])
    }

    /// Emits these values before the values of this flow.
    public func prepend(_ values: Value...) -> Flow {
        .concatenate([.from(values), self])
    }

    /// Makes a flow of each value with `transform` and merges these flows. Completes when this flow and all
    /// flows that `transform` made have completed.
    public func flatMap<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Flow<Output>
    ) -> Flow<Output> {
        Flow<Output> { start(FlowMapping($0, replaces: false, transform: transform)) }
    }

    /// Makes a flow of each value with `transform` and emits the values of the newest flow. The next value
    /// cancels the flow of the previous value. Completes when this flow and the newest flow have completed.
    public func flatMapLatest<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Flow<Output>
    ) -> Flow<Output> {
        Flow<Output> { start(FlowMapping($0, replaces: true, transform: transform)) }
    }
}
