import Manifest
import PluginHost
import Records

extension PreparedCall {
    /// The failure that the answer of the last call is, by its test.
    func failure(of effect: EffectReference) -> RunFault { RunFault(outcome: outcomeValue, of: effect) }
}

extension RunFault {
    /// The failure that an answer is: a value of `CallSignature.outcome`.
    init(outcome: Value, of effect: EffectReference) {
        let result = outcome["result"].map { "it returned \($0.json)" } ?? "it returned"
        guard case .int(let number)? = outcome["errno"], number != 0 else {
            self.init(failureOf: effect, result, code: -1)
            return
        }
        let text = SystemError(number: Int32(number)).text
        self.init(failureOf: effect, "\(result), errno \(number) (\(text))", code: number)
    }
}
