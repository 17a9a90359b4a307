# %% [markdown]
# # Which headline?
#
# Six headlines, each described by four numbers. A reader clicks or does not. We want clicks now, and to know at any moment
# what we may say about the headlines.

# %%
import numpy as np

import optimist

rng = np.random.default_rng(7)
headlines = rng.normal(size=(6, 4))
headlines /= np.linalg.norm(headlines, axis=1, keepdims=True)
truth = np.array([1.5, -1.0, 0.5, 0.0])  # What nobody knows.
click_rate = 1 / (1 + np.exp(-headlines @ truth))

# %% [markdown]
# A bandit chooses, is told what came of it, and learns. `norm_bound` is the one thing that we claim to know: the truth is no
# longer than 3.

# %%
bandit = optimist.Bandit(4, "bayes-ucb", norm_bound=3.0, delta=0.05, seed=1)
clicks = 0
for reader in range(3000):
    choice = bandit.choose(headlines)
    click = rng.random() < click_rate[choice.arm]
    bandit.observe(choice, click)
    clicks += click
print(f"{clicks} clicks; always the best headline: {3000 * click_rate.max():.0f}, at random: {3000 * click_rate.mean():.0f}")

# %% [markdown]
# What is certain? These bounds hold together, at all times and however often one looks, with probability 95%.

# %%
intervals = bandit.intervals(headlines)
for k, (lower, upper) in enumerate(zip(*intervals, strict=True)):
    print(f"headline {k}: {lower:.2f} to {upper:.2f}, in truth {click_rate[k]:.2f}")
assert np.all(intervals.lower <= click_rate) and np.all(click_rate <= intervals.upper)

# %% [markdown]
# Is the one that looks best the best? At most `regret_bound` clicks per reader are lost by showing it for ever.

# %%
best = bandit.best(headlines, eps=0.1)
print(best)
worst = int(np.argmin(bandit.predict(headlines)))
print(bandit.compare(headlines[best.arm], headlines[worst]))

# %% [markdown]
# A choice still knows what the bandit thought when it was made: its bounds, and how likely each headline was to be shown,
# which is what a log needs.

# %%
print(choice, choice.interval, choice.probabilities)

# %% [markdown]
# Stop here, go on tomorrow, to the last bit.

# %%
tomorrow = optimist.Bandit.from_bytes(bandit.to_bytes())
assert tomorrow.choose(headlines).arm == bandit.choose(headlines).arm

# %% [markdown]
# A picture, if matplotlib is there.

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("pip install matplotlib draws the picture")
else:
    middle = bandit.predict(headlines)
    bars = np.abs(np.stack(intervals) - middle)
    plt.errorbar(np.arange(6), middle, bars, fmt="o", capsize=4, label="estimate, certified bounds")
    plt.plot(np.arange(6), click_rate, "x", label="truth")
    plt.xlabel("headline")
    plt.ylabel("probability of a click")
    plt.legend()
    plt.savefig("headlines.png", dpi=120)
