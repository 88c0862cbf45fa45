"""As many threads as there can be, of which Python knows nothing, with stacks of a few pages."""

import ctypes

STACK = 16 << 10
attributes = ctypes.create_string_buffer(64)
thread = ctypes.c_ulong()
LIBC.pthread_attr_init(attributes)
LIBC.pthread_attr_setstacksize(attributes, ctypes.c_size_t(STACK))
started = 0
while started < 2000 and LIBC.pthread_create(ctypes.byref(thread), attributes, LIBC.pause, None) == 0:
    started += 1
if started == 2000:
    win("two thousand threads")
