import Manifest
import PluginHost
import Records

extension PreparedCall {
    /// The failure that the answer of the last call is, by its test.
    func failure(of effect: EffectReference) -> RunFault {
        let outcome = outcomeValue
        let result = outcome["result"].map { "it returned \($0.json)" } ?? "it returned"
        guard case .int(let number)? = outcome["errno"], number != 0 else {
            return RunFault(failureOf: effect, result, code: -1)
        }
        let text = SystemError(number: Int32(number)).text
        return RunFault(failureOf: effect, "\(result), errno \(number) (\(text))", code: number)
    }
}
