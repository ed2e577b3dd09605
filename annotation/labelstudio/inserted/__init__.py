"""What runs inside Label Studio, where there is no `tashika`; see `annotation.labelstudio.insertion`."""
