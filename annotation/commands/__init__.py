"""The commands of `tashika annotate`, by the part of the work that they are for."""
