"""An engine and its visitors, for several tests."""

from optimist import Engine

AGE = {"kind": "number", "mean": 40, "deviation": 12}
COLUMNS = {"device": ["phone", "desktop"], "age": AGE, "member": bool}


def an_engine(**settings) -> Engine:
    return Engine(["red", "green", "blue"], COLUMNS, **settings)


def visitor(i: int) -> dict:
    return {"device": ("phone", "desktop")[i % 2], "age": 20 + i % 50, "member": i % 3 == 0}


def drive(engine: Engine, start: int, end: int) -> list[tuple[str, float]]:
    """Decisions and rewards; green pays on phones, blue elsewhere."""
    made = []
    for i in range(start, end):
        decision = engine.decide(visitor(i), f"visit-{i}")
        best = "green" if i % 2 == 0 else "blue"
        engine.reward(decision.event_id, float(decision.action == best))
        made.append((decision.action, decision.probability))
    return made
