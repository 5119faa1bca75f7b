public import HostLoop

extension Gear {
    /// The messages from the subscription on, after those that the gear keeps; never completes.
    ///
    /// A subscriber gets one message at a time, in order, on a thread that propagates one. A message that is
    /// propagated within a delivery follows it. The flow keeps the gear; a subscription does not.
    public var flow: Flow<Message> {
        Flow { sink in
            self.attach(
                limit: nil, onCancel: sink.onCancel,
                schedule: { gear, ticket in
                    while gear.deliver(to: ticket, { sink.emit($0) }) {}
                })
        }
    }
}
