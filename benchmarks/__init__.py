"""Speed as ratios, each measured in one run. `python -m benchmarks [names]` runs all of them, or those named."""
