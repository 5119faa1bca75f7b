// Numbers of Linux, which do not change. Their headers do not all come with each C library.
#pragma once

#include <stdint.h>

enum {
    THREAD_FLAG = 0x00010000,
    // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET.
    NAMESPACE_FLAGS = 0x7e020000,
    // A child that is the host's, or that a debugger follows: CLONE_PARENT and CLONE_PTRACE.
    OTHER_PARENT_FLAGS = 0x0000a000,
    NO_PROGRAM_FLAG = 0x0008, // MFD_NOEXEC_SEAL
    FAST_OPEN_FLAG = 0x20000000,
    KIND_OF_NODE = 0170000,
    PIPE_NODE = 0010000,
    FILE_NODE = 0100000,
    LOCAL = 1,
    INTERNET = 2,
    INTERNET_6 = 10,
    STREAM = 1,
    PACKETS = 5,
    TCP = 6,
    SIGSYS_NUMBER = 31,
};

// TIOCSTI, TIOCCONS, TIOCLINUX, TIOCSCTTY, TIOCSPGRP, TIOCSETD and TIOCVHANGUP: input for a terminal, or
// another use of it. FIOSETOWN and SIOCSPGRP: signals to other processes. FS_IOC_SETVERSION: an attribute.
static const uint32_t refused_controls[] = {0x5412, 0x541d, 0x541c, 0x540e, 0x5410,
                                            0x5423, 0x5437, 0x8901, 0x8902, 0x40087602};

// Those of file systems: ext4, xfs and btrfs. Through a descriptor for reading they set attributes, seal a
// file for good (fs-verity), and make volumes in a folder, and Landlock does not cover them.
static const uint32_t refused_kinds_of_control[] = {0x6600, 0x5800, 0x9400};

// Of these kinds: FS_IOC_GETFLAGS, FS_IOC_FIEMAP, FS_IOC_FSGETXATTR, FICLONE, FICLONERANGE and FIDEDUPERANGE.
static const uint32_t allowed_controls[] = {0x80086601, 0xc020660b, 0x801c581f,
                                            0x40049409, 0x4020940d, 0xc0189436};

// F_SETOWN, F_SETSIG and F_SETOWN_EX: signals to other processes. F_SETLEASE: others wait to open the file.
static const uint32_t refused_descriptor_controls[] = {8, 10, 15, 1024};

// SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF and SO_ATTACH_REUSEPORT_EBPF: programs for the
// kernel.
static const uint32_t refused_socket_options[] = {26, 50, 51, 52};

// PR_GET_PDEATHSIG, GET_DUMPABLE, GET_KEEPCAPS, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ,
// GET_SECUREBITS, SET_TIMERSLACK, GET_TIMERSLACK, GET_CHILD_SUBREAPER, SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS,
// GET_TID_ADDRESS, SET_THP_DISABLE, GET_THP_DISABLE, SVE_SET_VL, SVE_GET_VL, GET_SPECULATION_CTRL,
// PAC_RESET_KEYS, SET_TAGGED_ADDR_CTRL, GET_TAGGED_ADDR_CTRL, PAC_GET_ENABLED_KEYS, SME_GET_VL and SET_VMA.
static const uint32_t allowed_process_controls[] = {2,  3,  7,  15, 16, 21, 23, 27, 29, 30, 37, 38,        39,
                                                    40, 41, 42, 50, 51, 52, 54, 55, 56, 61, 64, 0x53564d41};
