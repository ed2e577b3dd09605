"""The scoring engine: models, batches, kernels, shards and Ray; it knows no suite."""
