// Row T1's reference: a Swift program that does nothing but load Foundation.
import Foundation

exit(FileManager.default.currentDirectoryPath.isEmpty ? 1 : 0)
