"""Values found in text; import the module that reads the kind of value you need."""
