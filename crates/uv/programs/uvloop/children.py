"""Subprocesses of asyncio."""
import asyncio
import signal
from asyncio.subprocess import PIPE

import uvloop


async def main():
    child = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 3", stdout=PIPE, stderr=PIPE)
    print(await child.communicate(), child.returncode)
    child = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=PIPE)
    out, _ = await child.communicate(b"y" * 500_000)
    print(len(out), child.returncode)
    child = await asyncio.create_subprocess_exec("sleep", "1000")
    child.terminate()
    print(await child.wait() == -signal.SIGTERM)
    child = await asyncio.create_subprocess_exec("pwd", cwd="/", stdout=PIPE)
    print((await child.communicate())[0])
    child = await asyncio.create_subprocess_exec("sh", "-c", "echo $WORD", env={"WORD": "given"}, stdout=PIPE)
    print((await child.communicate())[0])
    try:
        await asyncio.create_subprocess_exec("/no/such/program")
    except FileNotFoundError as error:
        print("missing", error.errno)

    async def ends_with(code):
        return await (await asyncio.create_subprocess_exec("sh", "-c", f"exit {code}")).wait()

    print(sum(await asyncio.gather(*(ends_with(code) for code in range(40)))))
    child = await asyncio.create_subprocess_exec("sh", "-c", "read line; echo got $line; read line; echo $line", stdin=PIPE, stdout=PIPE)
    for word in (b"first\n", b"second\n"):
        child.stdin.write(word)
        await child.stdin.drain()
        print(await child.stdout.readline())
    print(await child.wait())


uvloop.install()
asyncio.run(main())
print("done")
