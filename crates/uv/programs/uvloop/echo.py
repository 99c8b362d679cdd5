"""An asyncio echo server and its clients, over TCP, Unix sockets and UDP."""
import asyncio
import os

import uvloop


async def serve(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def ask(opened, length):
    reader, writer = await opened
    writer.write(b"x" * length)
    writer.write_eof()
    data = await reader.read()
    writer.close()
    await writer.wait_closed()
    return len(data)


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self):
        self.heard = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        if not self.heard.done():
            self.heard.set_result(data)
        if data == b"ask":
            self.transport.sendto(b"answer", address)


async def main():
    loop = asyncio.get_running_loop()
    print(type(loop).__module__)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    lengths = await asyncio.gather(*(ask(asyncio.open_connection("127.0.0.1", port), n * 3000) for n in range(100)))
    print("tcp", lengths == [n * 3000 for n in range(100)])
    server.close()
    await server.wait_closed()
    try:
        await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError as error:
        print("refused", error.errno)

    server = await asyncio.start_unix_server(serve, "echo.sock")
    lengths = await asyncio.gather(*(ask(asyncio.open_unix_connection("echo.sock"), n * 20000) for n in range(30)))
    print("unix", lengths == [n * 20000 for n in range(30)])
    server.close()
    await server.wait_closed()
    os.unlink("echo.sock")

    receiver, one = await loop.create_datagram_endpoint(Datagrams, local_addr=("127.0.0.1", 0))
    sender, other = await loop.create_datagram_endpoint(Datagrams, remote_addr=receiver.get_extra_info("sockname"))
    sender.sendto(b"ask")
    print("udp", await one.heard, await other.heard)
    receiver.close()
    sender.close()

    order = []
    loop.call_later(0.03, order.append, 30)
    loop.call_later(0.01, order.append, 10)
    loop.call_later(0.02, order.append, 20).cancel()
    loop.call_soon(order.append, "soon")
    loop.call_soon_threadsafe(order.append, "threadsafe")
    await asyncio.sleep(0.1)
    print("timers", order)
    squares = await asyncio.gather(*(loop.run_in_executor(None, pow, n, 2) for n in range(20)))
    print("executor", sum(squares))
    addresses = await loop.getaddrinfo("localhost", 80, family=2, type=1)
    print("getaddrinfo", addresses[0][4])
    print("getnameinfo", (await loop.getnameinfo(("127.0.0.1", 80), 3))[0])
    try:
        await asyncio.wait_for(asyncio.sleep(100), 0.02)
    except asyncio.TimeoutError:
        print("timed out")

    read, write = os.pipe()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb"))
    transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write, "wb"))
    transport.write(b"through a pipe")
    transport.close()
    print("pipe", await reader.read())


uvloop.install()
for _ in range(2):
    asyncio.run(main())
print("done")
