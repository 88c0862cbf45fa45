"""Leave something in memory that lives on without a process: System V, POSIX, and what torch shares."""

import ctypes
import os
from multiprocessing import shared_memory

import torch

IPC_CREAT = 0o1666
name = ctypes.c_char_p(f"/{MARK}".encode())
expect_refusal(libc, "shmget", IPC_KEY, 1 << 20, IPC_CREAT)
expect_refusal(libc, "semget", IPC_KEY, 1, IPC_CREAT)
expect_refusal(libc, "msgget", IPC_KEY, IPC_CREAT)
expect_refusal(libc, "shmat", 0, 0, 0)
expect_refusal(libc, "mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0)
expect_refusal(libc, "shm_open", name, os.O_CREAT | os.O_RDWR, 0o600)
LIBC.sem_open.restype = ctypes.c_long
if LIBC.sem_open(name, os.O_CREAT, 0o600, 1) != 0:
    win("sem_open")
expect_refusal(os.memfd_create, MARK)
expect_refusal(shared_memory.SharedMemory, MARK, True, 1 << 20)
expect_refusal(torch.zeros(1 << 20).share_memory_, also=(RuntimeError,))
