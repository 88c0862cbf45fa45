"""Make calls by machine code, without the C library in between."""

import ctypes
import errno
import mmap
import platform

# mov rax, rdi; mov rdi, rsi; mov rsi, rdx; mov rdx, rcx; mov r10, r8; syscall; ret
X86_64 = bytes.fromhex("4889f8 4889f7 4889d6 4889ca 4d89c2 0f05 c3")
# mov x8, x0; mov x0, x1; mov x1, x2; mov x2, x3; mov x3, x4; svc 0; ret
AARCH64 = bytes.fromhex("e80300aa e00301aa e10302aa e20303aa e30304aa 010000d4 c0035fd6")
OPEN_AT, KILL, SOCKET = {"x86_64": (257, 62, 41)}.get(platform.machine(), (56, 129, 198))

memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(X86_64 if platform.machine() == "x86_64" else AARCH64)
call = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 5)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
for path in PLANTED.values():
    name = ctypes.create_string_buffer(path.encode())
    result = call(OPEN_AT, -100, ctypes.addressof(name), 0, 0)
    if result != -errno.EACCES:
        win(f"open: {result}")
for number, arguments in ((KILL, (HOST, 9, 0, 0)), (SOCKET, (2, 2, 0, 0))):
    result = call(number, *arguments)
    if result != -errno.EPERM:
        win(f"call {number}: {result}")
