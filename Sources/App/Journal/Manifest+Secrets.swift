import Interfaces
import Journal
import Manifest
import Records

extension Manifest {
    /// The secret constants, each with a code of its value. The code is HMAC-SHA-256 under the journal's id, so two
    /// journals with one secret have different codes.
    func secretMACs(under id: String) -> [Epoch.Secret] {
        secretConstants.compactMap { name in
            config[name].map { value in
                let message = Array("\(name)=\(value.json)".utf8)
                return Epoch.Secret(
                    name: name, mac: SHA256.authenticationCode(of: message, key: Array(id.utf8)))
            }
        }
    }
}
