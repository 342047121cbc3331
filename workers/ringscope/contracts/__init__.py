"""What everybody speaks: specifications, records, the protocol between agent and server, and the words in them.

Only what two of rank, agent, server and command line have to agree on enters here. Pure: no I/O, no clock.
"""
