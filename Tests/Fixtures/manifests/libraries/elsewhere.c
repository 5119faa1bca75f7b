/* A plugin for another major version of the ABI: its identity as a note, by hand. */
__asm__(".section .note.spinhost,\"a\",@note\n"
        ".balign 4\n"
        ".long 9, 20, 1\n"
        ".asciz \"spinhost\"\n"
        ".balign 4\n"
        ".asciz \"9.0\"\n"
        ".asciz \"elsewhere\"\n"
        ".asciz \"1.0.0\"\n"
        ".balign 4\n"
        ".previous\n");
