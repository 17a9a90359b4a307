"""Ray as an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class RayExecutor(Executor):
    """Tasks of a Ray cluster, as futures of the standard library."""

    def __init__(self, **options: Any) -> None:
        self._ray: Any = import_module("ray")
        if not self._ray.is_initialized():
            self._ray.init()
        # A task whose worker is lost is played again by whoever waits for it, who knows how often.
        self._task: Any = self._ray.remote(max_retries=0, **options)(_call)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A task for the cluster."""
        future: Future[T] = self._task.remote(fn, args, kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """The cluster is left as it is: somebody else may use it."""


def _call(fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return fn(*args, **kwargs)


def ray_executor(**options: Any) -> RayExecutor:
    """An executor for ``optimist.run`` on a Ray cluster.

    Parameters
    ----------
    **options
        What ``ray.remote`` takes for a task, such as ``num_cpus=2``.

    If nobody has called ``ray.init`` yet, it is called without arguments.
    """
    return RayExecutor(**options)
