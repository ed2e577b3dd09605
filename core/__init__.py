"""What every room uses: records, files, stages, settings, errors, progress, servers, the command line."""
