# %% [markdown]
# # Which offer, to whom?
#
# A shop shows each visitor one of three offers. Who buys does so within the hour; whoever has not bought by then will not. We know
# a few things about visitors.

# %%
import math
import random

import optimist

random.seed(3)
offers = {"coat": 90, "scarf": 15, "boots": 60}


def visitor():
    return {"device": random.choice(["phone", "desktop"]), "age": random.gauss(40, 12), "member": random.random() < 0.3}


def buys(who, offer):
    """What nobody knows."""
    score = -1.0 - offers[offer] / 60 + 1.5 * who["member"] + (offer == "scarf") * (40 - who["age"]) / 10
    return random.random() < 1 / (1 + math.exp(-score))


# %% [markdown]
# The engine learns what visitors look like from the first ones. A reward may take an hour, and silence means no: outcomes are
# learnt when the hour is over, so that quick ones do not count more than others.

# %%
engine = optimist.Engine(list(offers), policy="bayes-ucb", explore=0.1, rewards={"wait": 3600, "silence": 0})
bought = 0
for i in range(2000):
    now = 60.0 * i  # One visitor a minute; without `time` it is the clock's.
    who = visitor()
    decision = engine.decide(who, event_id=f"visit-{i}", time=now)
    if buys(who, decision.action):
        engine.reward(f"visit-{i}", 1, time=now + random.uniform(0, 59))
        bought += 1
engine.tick(60.0 * 2000 + 3600)
print(f"{bought} of 2000 bought; {engine.version} outcomes were learnt")

# %% [markdown]
# What does it think, and what is certain?

# %%
for offer, prediction in engine.predict({"device": "phone", "age": 25, "member": False}).items():
    lower, upper = prediction.interval
    print(f"{offer:<6} {prediction.estimate:.2f}, for sure {lower:.2f} to {upper:.2f}")
print(engine.report())

# %% [markdown]
# Why this offer?

# %%
print(engine.explain("visit-1999"))

# %% [markdown]
# Tomorrow it goes on from here, and a colleague can check that it is the same engine.

# %%
engine.save("shop.engine")
assert optimist.Engine.load("shop.engine").digest() == engine.digest()

# %% [markdown]
# Would another rule have been better? A simulation with a known truth tells, in a few seconds.

# %%
experiment = {
    "name": "rules",
    "horizon": 1000,
    "runs": 8,
    "environment": {"dimension": 4, "theta_norm": 2.0, "arms": {"kind": "ball-sample", "count": 12, "redraw": "round"}},
}
results = optimist.run(experiment, policies=["bayes-ucb", "laplace-ts", "greedy", "uniform"], progress=False)
print(results.summary)
