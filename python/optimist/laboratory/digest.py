"""A digest of the code of a class, and of what that code names: another one if any of it has changed.

Every value becomes 32 bytes. Functions and classes stand there by their names, and what is in them is added once, in an order that
depends on nothing but themselves; so the digest is the same in every process.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import sysconfig
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, type(...), type(NotImplemented))
# Modules of the standard library whose values say all there is to say when they are printed.
PRINTED = ("datetime", "decimal", "fractions", "pathlib", "re", "uuid")
# What is wrapped, and where it is.
WRAPPERS: dict[type, tuple[str, ...]] = {
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    functools.cached_property: ("func",),
}
# What classes have without anybody's doing, or in an order that is not fixed.
NOISE = frozenset(
    "__annotate__ __annotate_func__ __annotations__ __annotations_cache__ __classdictcell__ __dict__ __firstlineno__ "
    "__static_attributes__ __weakref__".split()
)
# Values that are deeper inside others than this are not looked at.
DEEPEST = 50


def digest(cls: type) -> str:
    """A digest of the code of a class and those it inherits from, and of the functions, classes and values which that names."""
    return _Digest(cls).all().hex()[:16]


def _mix(kind: str, *parts: bytes) -> bytes:
    mixed = hashlib.sha256(kind.encode())
    for part in parts:
        mixed.update(len(part).to_bytes(8, "little"))
        mixed.update(part)
    return mixed.digest()


def _text(text: object) -> bytes:
    return str(text).encode("utf-8", "surrogatepass")


class _Digest:
    def __init__(self, cls: type) -> None:
        self.home = cls.__module__.partition(".")[0]
        self.found: dict[int, Any] = {}
        self.waiting: deque[Any] = deque()
        self.inside: list[int] = []
        self.bases = [base for base in cls.__mro__ if base.__module__ != "builtins"]
        for base in self.bases:
            self._add(base)

    def all(self) -> bytes:
        contents: list[bytes] = []
        while self.waiting:
            thing = self.waiting.popleft()
            contents.append(self._class(thing) if isinstance(thing, type) else self._function(thing))
        return _mix("all", *(_text(base.__qualname__) for base in self.bases), *sorted(contents))

    def _add(self, thing: Any) -> None:
        if id(thing) not in self.found:
            # Kept, lest another one comes to stand at the same place.
            self.found[id(thing)] = thing
            self.waiting.append(thing)

    def _is_foreign(self, module: str, path: str | None) -> bool:
        return module.partition(".")[0] != self.home and _is_library(module, path)

    # --- what stands in a class or a function

    def _class(self, cls: type) -> bytes:
        parts = [_text(f"{cls.__module__}:{cls.__qualname__}"), _source(cls), *map(self._value, cls.__bases__)]
        if self._is_foreign(cls.__module__, _path(cls)):
            return _mix("class", *parts)
        return _mix("class", *parts, self._value(type(cls)), self._named(vars(cls)))

    def _function(self, function: FunctionType) -> bytes:
        names = set(_names(function.__code__))
        parts = [self._reference(function), self._named(vars(function)), self._space(function.__globals__, names)]
        imported = sorted(set(_imported(function.__code__)) - set(function.__globals__))
        return _mix("function", *parts, *(self._file(name) for name in imported))

    def _space(self, space: Mapping[str, Any], names: set[str], seen: frozenset[int] = frozenset()) -> bytes:
        """The values of names, and of the same names in modules among these."""
        parts: list[bytes] = []
        for name in sorted(names.intersection(space)):
            value = space[name]
            parts += [_text(name), self._value(value)]
            is_new = isinstance(value, ModuleType) and id(value) not in seen
            if is_new and not self._is_foreign(value.__name__, _file_of(value)):
                parts.append(self._space(vars(value), names, seen | {id(value)}))
        return _mix("names", *parts)

    def _file(self, name: str) -> bytes:
        """The file of a module that a function imports when it is called."""
        try:
            spec = sys.modules[name].__spec__ if name in sys.modules else find_spec(name)
        except (ImportError, AttributeError, ValueError):
            spec = None
        path = None if spec is None else spec.origin
        return _mix("file", _text(name), b"" if self._is_foreign(name, path) else _read(path))

    # --- values

    def _value(self, value: Any) -> bytes:
        if type(value) in PLAIN:
            return _mix(type(value).__name__, _text(repr(value)))
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            path = _file_of(value)
            return _mix("module", _text(value.__name__), b"" if self._is_foreign(value.__name__, path) else _read(path))
        if id(value) in self.inside or len(self.inside) > DEEPEST:
            return _mix("again", _text(type(value).__qualname__))
        self.inside.append(id(value))
        try:
            if isinstance(value, type):
                return self._type(value)
            return self._reference(value) if isinstance(value, FunctionType) else self._composed(value)
        finally:
            self.inside.pop()

    def _values(self, values: Iterable[Any]) -> list[bytes]:
        return [self._value(value) for value in values]

    def _named(self, values: Mapping[str, Any]) -> bytes:
        kept = [name for name in sorted(values, key=str) if name not in NOISE]
        return _mix("named", *(part for name in kept for part in (_text(name), self._value(values[name]))))

    def _type(self, cls: type) -> bytes:
        if not self._is_foreign(cls.__module__, _path(cls)):
            self._add(cls)
        return _mix("type", _text(f"{cls.__module__}:{cls.__qualname__}"))

    def _reference(self, function: FunctionType) -> bytes:
        """A function without its globals, which come later."""
        space = function.__globals__
        parts = [_text(f"{space.get('__name__')}:{function.__qualname__}")]
        parts += self._values(_content(cell) for cell in function.__closure__ or ())
        wrapped = vars(function).get("__wrapped__")
        if self._is_foreign(str(space.get("__name__")), space.get("__file__")):
            return _mix("function", *parts, self._value(wrapped))
        self._add(function)
        return _mix("function", *parts, *self._values([function.__code__, function.__defaults__, function.__kwdefaults__]))

    def _code(self, code: CodeType) -> bytes:
        shape = (code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        handlers = getattr(code, "co_exceptiontable", b"")
        return _mix("code", code.co_code, handlers, _text(repr((shape, names))), *self._values(code.co_consts))

    def _composed(self, value: Any) -> bytes:
        kind = _kind(value)
        if issubclass(kind, (list, tuple, deque)):
            return _mix(kind.__name__, *self._values(value))
        if issubclass(kind, (set, frozenset)):
            return _mix(kind.__name__, *sorted(self._values(value)))
        if issubclass(kind, (dict, MappingProxyType)):
            return _mix(kind.__name__, *(part for pair in value.items() for part in self._values(pair)))
        for wrapper, fields in WRAPPERS.items():
            if issubclass(kind, wrapper):
                return _mix(wrapper.__name__, *self._values(getattr(value, field) for field in fields))
        return self._array(value) or self._object(value)

    def _array(self, value: Any) -> bytes | None:
        import numpy as np

        kind = _kind(value)
        if issubclass(kind, np.dtype):
            return _mix("dtype", _text(repr(value)))
        if not issubclass(kind, (np.ndarray, np.generic)):
            return None
        bits = self._value(value.tolist()) if value.dtype.hasobject else value.tobytes()
        return _mix("array", _text(repr(value.dtype)), _text(value.shape), bits)

    def _object(self, value: Any) -> bytes:
        """Objects of classes of one's own with what is in them; of others the kind alone, and what they wrap."""
        cls = _kind(value)
        state = _state(value)
        parts = [self._type(cls), _text(_name(value))]
        if cls.__module__.partition(".")[0] in PRINTED:
            parts.append(_text(repr(value)))
        elif self._is_foreign(cls.__module__, _path(cls)):
            parts += self._values(state.get(field) for field in ("__wrapped__", "py_func"))
        else:
            parts.append(self._named(state))
        return _mix("object", *parts)


def _names(code: CodeType) -> Iterator[str]:
    """The names in a function and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _imported(code: CodeType) -> Iterator[str]:
    yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME" and step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imported(constant)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NotImplemented


def _state(value: Any) -> dict[str, Any]:
    """The attributes of an object, also those in slots."""
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in NOISE and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _kind(value: object) -> type:
    return type(value)


def _name(value: Any) -> str:
    try:
        name = value.__name__
    except Exception:
        # Objects may raise anything when they are asked.
        return ""
    return name if isinstance(name, str) else ""


def _path(cls: type) -> str | None:
    return _file_of(sys.modules.get(cls.__module__))


def _file_of(module: ModuleType | None) -> str | None:
    return getattr(module, "__file__", None)


@functools.lru_cache(maxsize=4096)
def _is_library(module: str, path: str | None) -> bool:
    """Whether a module is of the standard library, installed, or ours: runs say by themselves which build of ours made them."""
    top = module.partition(".")[0]
    if top == "optimist":
        return True
    if path is None or not os.path.isabs(path):
        return top in sys.stdlib_module_names
    real = os.path.realpath(path)
    if {"site-packages", "dist-packages"} & set(real.split(os.sep)):
        return True
    standard = {os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")}
    return any(real.startswith(directory) for directory in standard)


def _read(path: str | None) -> bytes:
    try:
        if path is not None and path.endswith(".py"):
            with open(path, "rb") as file:
                return file.read()
    except OSError:
        pass
    return b""


def _source(cls: type) -> bytes:
    """The whole file of a class, since what it calls stands beside it; otherwise its own text, if there is one."""
    import inspect

    whole = _read(_path(cls))
    if whole:
        return whole
    try:
        return inspect.getsource(cls).encode("utf-8", "surrogatepass")
    except (OSError, TypeError):
        return b""
