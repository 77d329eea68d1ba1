"""Cases to tables on disk and back; the only importer of a database engine."""
