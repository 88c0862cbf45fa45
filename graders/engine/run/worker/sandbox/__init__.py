"""What a worker gives up before it sees any student code: `restrict.py` has the order, each other module one layer."""
