/// The C source that every plugin with an instance needs.
public enum InstanceSource {
    /// An instance whose `members` are zero at first.
    public static func text(_ members: String = "int32_t number;") -> String {
        """
        #include <stdlib.h>
        struct spin_self { \(members) };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)call;
            (void)config;
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        """
    }
}
