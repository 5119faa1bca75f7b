import Interfaces

/// A call of an effect with arguments of certain kinds. All feedbacks with such a call share it.
struct EffectCall {
    /// The identity of a call.
    struct Key: Hashable {
        let provider: EffectReference.Provider
        let effect: String
        let arguments: [CallArgument]
    }

    let signature: CallSignature
    /// The failure test that the plugin declares for the effect; nil without one, or if it reads more than
    /// the call's outcome.
    var failure: Condition?
}
