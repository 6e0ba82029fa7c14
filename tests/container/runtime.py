"""Starts a program as a container runtime does, in the namespaces that unshare has made: runtime.py SPECIFICATION.

The specification is a file of JSON; Container::specification of run.rs writes it.
"""
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys

# linux/sockios.h, linux/prctl.h, linux/capability.h
SIOCSIFFLAGS = 0x8914
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
CAPABILITIES = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3}
LAST_CAPABILITY = 63


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def make_mounts(root, wanted):
    mount("--bind", root, root)
    mount("-t", "proc", "proc", root + "/proc")
    mount("--rbind", "/dev", root + "/dev")
    # As runtimes do, folders before what lies in them. The sort is stable.
    for one in sorted(wanted["mounts"], key=lambda one: one["target"].strip("/").count("/")):
        # The image's links are relative.
        place = os.path.realpath(root + one["target"])
        if os.path.isdir(one["source"]):
            os.makedirs(place, exist_ok=True)
        elif not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            open(place, "w").close()
        mount("--bind", one["source"], place)
        if one["readOnly"]:
            mount("-o", "remount,bind,ro", place)
    if wanted["readOnly"]:
        mount("-o", "remount,bind,ro", root)


def enter(root, wanted, c_library):
    os.chroot(root)
    os.chdir("/")
    if wanted["capabilities"] is not None:
        kept = {CAPABILITIES[name] for name in wanted["capabilities"]}
        for capability in range(LAST_CAPABILITY + 1):
            if capability not in kept:
                # The kernel knows fewer.
                c_library.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        c_library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.setgroups(wanted["groups"])
    os.setgid(wanted["group"])
    os.setuid(wanted["user"])


def main():
    with open(sys.argv[1]) as file:
        wanted = json.load(file)
    with open("/proc/sys/kernel/hostname", "w") as file:
        file.write(wanted["host"])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", 1))
    c_library = ctypes.CDLL(None)
    make_mounts(wanted["root"], wanted)
    enter(wanted["root"], wanted, c_library)
    # Python ignores it, and what is ignored stays so in another program.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvpe(wanted["program"][0], wanted["program"], wanted["environment"])


main()
