"""Charts of analyses for papers and slides: SVG, PNG, and Vega-Lite to go on with."""
