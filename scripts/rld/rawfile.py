"""Files for hooks, straight from the operating system's module.

`import os` alone is 0.16 of a bare interpreter start, and under `python -I -S` nothing has loaded it yet; a hook does
little else than read a few small files, so it talks to the module below `os`. Only hook-path modules use this one.
"""

try:
    import posix as _system
except ImportError:  # Windows
    import nt as _system  # type: ignore[no-redef]

system = _system

_BINARY = getattr(system, "O_BINARY", 0)
_CLOEXEC = getattr(system, "O_CLOEXEC", 0)
_CHUNK = 1 << 20

stat = system.stat
environ: "dict[bytes, bytes] | dict[str, str]" = _system.environ


def env(name: str) -> str:
    """An environment variable, "" when it is not set."""
    variables: "dict[object, object]" = dict(environ)  # type: ignore[arg-type]
    value = variables.get(name.encode("ascii"), variables.get(name, ""))  # bytes on POSIX, text on Windows
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def read(path: str, limit: int = -1) -> "bytes | None":
    """The bytes of a file, at most `limit`; None when it cannot be read."""
    try:
        handle = system.open(path, system.O_RDONLY | _BINARY | _CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        parts = []
        while limit:
            part = system.read(handle, _CHUNK if limit < 0 else min(limit, _CHUNK))
            if not part:
                break
            parts.append(part)
            if limit > 0:
                limit -= len(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        system.close(handle)


def read_end(path: str, size: int) -> bytes:
    """The last bytes of a file, at most `size`; b"" when it cannot be read."""
    try:
        handle = system.open(path, system.O_RDONLY | _BINARY | _CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        system.lseek(handle, max(system.lseek(handle, 0, 2) - size, 0), 0)
        return bytes(system.read(handle, size))
    except OSError:
        return b""
    finally:
        system.close(handle)


def read_text(path: str, limit: int = -1) -> "str | None":
    """A file as text: UTF-8, bytes that are none kept as surrogates."""
    data = read(path, limit)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def append(path: str, data: bytes) -> bool:
    """Add bytes to a file in one write, which the kernel does not mix with another's; make its folder when missing."""
    flags = system.O_WRONLY | system.O_APPEND | system.O_CREAT | _BINARY | _CLOEXEC
    try:
        handle = system.open(path, flags, 0o600)
    except FileNotFoundError:
        if not make_folder(path.rpartition("/")[0]):
            return False
        try:
            handle = system.open(path, flags, 0o600)
        except OSError:
            return False
    except (OSError, ValueError):
        return False
    try:
        return bool(system.write(handle, data) == len(data))
    except OSError:
        return False
    finally:
        system.close(handle)


def replace(path: str, data: bytes) -> bool:
    """Put bytes in place of a file, whole or not at all."""
    aside = "%s.%d.tmp" % (path, system.getpid())
    _discard(aside)  # a killed process of the same number may have left it, and we append
    try:
        if append(aside, data):
            system.replace(aside, path)
            return True
    except OSError:
        pass
    _discard(aside)
    return False


def _discard(path: str) -> None:
    try:
        system.unlink(path)
    except OSError:
        pass


def make_folder(path: str) -> bool:
    """Make a folder and those above it; True when it is there."""
    if not path or is_folder(path):
        return bool(path)
    if not make_folder(path.rpartition("/")[0]):
        return False
    try:
        system.mkdir(path, 0o700)
    except OSError:
        return is_folder(path)
    return True


def exists(path: str) -> bool:
    try:
        stat(path)
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: str) -> bool:
    try:
        return stat(path).st_mode & 0o170000 == 0o040000
    except (OSError, ValueError):
        return False


def names(path: str) -> "list[str]":
    """The names in a folder, sorted; [] when it cannot be listed."""
    try:
        return sorted(system.listdir(path))
    except (OSError, ValueError):
        return []
