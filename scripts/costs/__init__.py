"""What the hooks cost, measured: the parts of `scripts/bench`, which the tests use too."""
