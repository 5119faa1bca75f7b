import Interfaces

/// A call of an effect with arguments of certain kinds, as all feedbacks that call it so share it.
struct EffectCall {
    /// What tells calls apart.
    struct Key: Hashable {
        let provider: EffectReference.Provider
        let effect: String
        let arguments: [CallArgument]
    }

    let signature: CallSignature
    /// The failure test that the effect brings along, when it has one that reads nothing but what the call answered.
    var failure: Condition?
}
