"""The import paths of the MCPToolMetric document.

Where deepeval can be imported, its test cases and metrics are derived from deepeval's; else the
same names are classes of `assay` alone.
"""
