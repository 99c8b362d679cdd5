"""Signals of asyncio."""
import asyncio
import os
import signal
import threading

import uvloop


async def main():
    loop = asyncio.get_running_loop()
    seen = asyncio.Queue()
    for name in ("SIGUSR1", "SIGUSR2", "SIGHUP", "SIGTERM"):
        loop.add_signal_handler(getattr(signal, name), seen.put_nowait, name)
        os.kill(os.getpid(), getattr(signal, name))
        print(await asyncio.wait_for(seen.get(), 10))
    print(loop.remove_signal_handler(signal.SIGUSR1), loop.remove_signal_handler(signal.SIGUSR1))
    threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGUSR2)).start()
    print(await asyncio.wait_for(seen.get(), 10))
    try:
        loop.add_signal_handler(signal.SIGKILL, print)
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__)

    future = loop.create_future()
    thread = threading.Thread(target=lambda: [loop.call_soon_threadsafe(lambda: None) for _ in range(10000)]
                              and loop.call_soon_threadsafe(future.set_result, "woken"))
    thread.start()
    print(await asyncio.wait_for(future, 20))
    thread.join()


async def interrupted():
    asyncio.get_running_loop().call_later(0.02, os.kill, os.getpid(), signal.SIGINT)
    await asyncio.sleep(100)


uvloop.install()
asyncio.run(main())
try:
    asyncio.run(interrupted())
except KeyboardInterrupt:
    print("interrupted")
print("done")
