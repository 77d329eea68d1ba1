"""The report: a store in one file that opens anywhere, prints, and asks nobody for anything."""
