"""`preexec_fn`: libuv's `uv_spawn` runs it in the child, by a fork handler that uvloop registers."""
import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import PIPE

import uvloop


async def output(*args, **options):
    child = await asyncio.create_subprocess_exec(*args, stdout=PIPE, **options)
    out, _ = await child.communicate()
    return out.decode(), child.returncode


def prepare():
    os.umask(0o027)
    os.chdir("/usr")
    os.environ["WORD"] = "from the child"


async def main():
    print(await output("sh", "-c", "umask; pwd; echo $WORD", preexec_fn=prepare))
    print(os.getcwd() != "/usr", "WORD" in os.environ)
    # The working directory of the options is set afterwards, and an environment of the options replaces the changed one.
    print(await output("sh", "-c", "umask; pwd; echo $WORD", preexec_fn=prepare, cwd="/", env={"WORD": "given"}))
    print(await output("sh", "-c", "umask; pwd; echo $WORD", preexec_fn=prepare, start_new_session=True))

    # The program is searched in the PATH that preexec_fn has set.
    def path():
        os.environ["PATH"] = "/nonexistent"

    try:
        print(await output("sh", "-c", "echo found", preexec_fn=path))
    except FileNotFoundError as error:
        print("missing", error.errno)

    # What it writes precedes the output of the program.
    reading, writing = os.pipe()
    print(await output("sh", "-c", f"echo from the program >/proc/self/fd/{writing}", pass_fds=[writing],
                       preexec_fn=lambda: os.write(writing, b"from preexec_fn\n")))
    os.close(writing)
    with open(reading) as both:
        print(both.read())

    # It runs in the child, whose parent is this process.
    here = os.getpid()
    reading, writing = os.pipe()
    print(await output("true", preexec_fn=lambda: os.write(writing, f"{os.getpid() != here} {os.getppid() == here}".encode())))
    os.close(writing)
    with open(reading) as both:
        print(both.read())

    # Signals have their default disposition in the program, whatever preexec_fn has set.
    print(await output("sh", "-c", "kill -TERM $$; echo ignored", preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN)))

    # An exception is raised in the parent.
    def fails():
        raise ValueError("no")

    try:
        print(await output("true", preexec_fn=fails))
    except subprocess.SubprocessError as error:
        print(error, repr(error.__cause__))
    # The end of the child before the program starts.
    print(await output("true", preexec_fn=lambda: os._exit(7)))
    # Errors of the start are reported as without it.
    for program, options in ("/no/such/program", {}), ("true", {"cwd": "/no/such/directory"}), ("/etc/passwd", {}):
        try:
            print(await output(program, preexec_fn=lambda: None, **options))
        except OSError as error:
            print(type(error).__name__, error.errno)
    # Other children are not affected, and the loop goes on.
    print(await output("sh", "-c", "echo $WORD"))
    print(await output("sh", "-c", "cat; exit 3", stdin=subprocess.DEVNULL, preexec_fn=prepare))
    results = await asyncio.gather(*(output("sh", "-c", "umask", preexec_fn=prepare) for _ in range(20)))
    print(set(results))
    await asyncio.sleep(0.01)


uvloop.install()
asyncio.run(main())
print("done")
