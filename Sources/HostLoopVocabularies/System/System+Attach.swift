import HostLoop
import HostLoopFlow

extension System {
    // MARK: - From a mediator

    /// Emits the events that `emitSystemEvent` makes of the values of a mediator; nil emits nothing.
    @discardableResult
    public func attach<MediatorType: Mediator>(
        to mediator: MediatorType, emitSystemEvent: @escaping @Sendable (MediatorType.Output) -> (any Event)?
    ) -> Self {
        add(.always("mediator", source: { mediator.flow.compactMap(emitSystemEvent) }))
        return self
    }

    /// Emits the event that `emitSystemEvent` makes of a value of a mediator, whenever it is
    /// `onMediatorValue`.
    @discardableResult
    public func attach<MediatorType: Mediator>(
        to mediator: MediatorType, onMediatorValue: MediatorType.Output,
        emitSystemEvent: @escaping @Sendable (MediatorType.Output) -> any Event
    ) -> Self where MediatorType.Output: Equatable {
        attach(to: mediator, emitSystemEvent: { $0 == onMediatorValue ? emitSystemEvent($0) : nil })
    }

    /// Emits an event whenever the value of a mediator is `onMediatorValue`.
    @discardableResult
    public func attach<MediatorType: Mediator>(
        to mediator: MediatorType, onMediatorValue: MediatorType.Output, emitSystemEvent: any Event
    ) -> Self where MediatorType.Output: Equatable {
        attach(to: mediator, emitSystemEvent: { $0 == onMediatorValue ? emitSystemEvent : nil })
    }

    // MARK: - To a mediator

    /// Sends a mediator the values that `emitMediatorValue` makes of states; nil sends nothing.
    @discardableResult
    public func attach<MediatorType: Mediator>(
        to mediator: MediatorType, emitMediatorValue: @escaping @Sendable (any State) -> MediatorType.Output?
    ) -> Self {
        add(
            .always(
                "mediator",
                effect: { state, _ in
                    if let value = emitMediatorValue(state) { mediator.send(value) }
                }))
        return self
    }

    /// Sends a mediator the value that `emitMediatorValue` makes of each state of one type.
    @discardableResult
    public func attach<MediatorType: Mediator, StateType: State>(
        to mediator: MediatorType, onSystemStateType: StateType.Type,
        emitMediatorValue: @escaping @Sendable (StateType) -> MediatorType.Output
    ) -> Self {
        attach(to: mediator, emitMediatorValue: { ($0 as? StateType).map(emitMediatorValue) })
    }

    /// Sends a mediator a value for each state of one type.
    @discardableResult
    public func attach<MediatorType: Mediator, StateType: State>(
        to mediator: MediatorType, onSystemStateType: StateType.Type, emitMediatorValue: MediatorType.Output
    ) -> Self {
        attach(to: mediator, emitMediatorValue: { $0 is StateType ? emitMediatorValue : nil })
    }

    /// Sends a mediator the value that `emitMediatorValue` makes of a state, whenever it is `onSystemState`.
    @discardableResult
    public func attach<MediatorType: Mediator, StateType: State & Equatable>(
        to mediator: MediatorType, onSystemState: StateType,
        emitMediatorValue: @escaping @Sendable (StateType) -> MediatorType.Output
    ) -> Self {
        attach(
            to: mediator,
            emitMediatorValue: { $0 as? StateType == onSystemState ? emitMediatorValue(onSystemState) : nil })
    }

    /// Sends a mediator a value whenever the state is `onSystemState`.
    @discardableResult
    public func attach<MediatorType: Mediator, StateType: State & Equatable>(
        to mediator: MediatorType, onSystemState: StateType, emitMediatorValue: MediatorType.Output
    ) -> Self {
        attach(
            to: mediator, emitMediatorValue: { $0 as? StateType == onSystemState ? emitMediatorValue : nil })
    }

    // MARK: - To a system

    /// Emits an event in another system for each state of one type in this one.
    ///
    /// It changes both systems, so it must come before they run. Neither system keeps the other.
    @discardableResult
    public func attach<StateType: State, EventType: Event>(
        to attachedSystem: System, onSystemStateType: StateType.Type,
        emitAttachedSystemEvent: @escaping @Sendable (StateType) -> EventType
    ) -> Self {
        let mediator = PassthroughMediator<StateType>()
        attachedSystem.attach(to: mediator, emitSystemEvent: { emitAttachedSystemEvent($0) })
        return attach(to: mediator, onSystemStateType: onSystemStateType, emitMediatorValue: { $0 })
    }
}
