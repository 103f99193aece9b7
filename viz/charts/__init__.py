"""Charts and tables."""

from altair.utils.schemapi import disable_debug_mode

# Altair holds every part of a chart against the schema of Vega-Lite as soon as it is made, which
# takes longer than to make it. A whole chart is checked once, where it is asked for its dict.
disable_debug_mode()
