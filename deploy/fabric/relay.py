#!/usr/bin/env python3
"""relay.py ADDRESS PORT SOCKET: connects clients of ADDRESS:PORT to the Unix socket.

coxd listens on loopback and Unix sockets only, and a namespace has a loopback of its own. Prints a line when it
listens; ends with its standard input, so never outlives who started it."""

import asyncio
import contextlib
import sys


async def copy(reader, writer):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(ConnectionError, OSError):
        writer.close()


async def main(address, port, socket):
    async def connect(reader, writer):
        try:
            inner_reader, inner_writer = await asyncio.open_unix_connection(socket)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))

    server = await asyncio.start_server(connect, address, port)
    print("listening", flush=True)
    async with server:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
