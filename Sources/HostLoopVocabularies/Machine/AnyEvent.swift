/// Stands for every type of event: `From(Failed.self) { On(AnyEvent.self, transitionTo: Loading()) }`.
///
/// It is asked when no transition for the event's own type applies. It has no values, and `Elapsed` is never
/// meant by it.
public enum AnyEvent: Event {}
