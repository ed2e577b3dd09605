"""The labelling pages of suites that are one file: what people see and are asked is made from it."""
