"""Run in a process of its own: talk to agents with tracing on, print spans and records."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from datetime import date

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_AND_EVENT"
os.environ["ENABLE_SENSITIVE_DATA"] = "true"
os.environ["ENABLE_INSTRUMENTATION"] = "true"

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
    InMemorySpanExporter,
)

from assay.agents.catalogue import adapter_named
from assay.agents.harness import Conduct, run_turn
from assay.agents.model_tap import ModelTap
from assay.agents.protocol import ModelEndpoint, Turn
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather
from assay.agents.weather.tools import weather_tools


async def main(names: list[str], prompts: list[str]) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    logging.disable(logging.CRITICAL)
    found: dict[str, list[dict[str, object]]] = {name: [] for name in names}
    with ScriptedModel() as model, ModelTap() as tap:
        endpoint = ModelEndpoint(model.base_url, "scripted-good")
        for name in names:
            agent = adapter_named(name).make()
            tools = weather_tools(BundledWeather(date(2026, 11, 16)), PreferenceBook(), "ann")
            for i, prompt in enumerate(prompts):
                exporter.clear()
                turn = Turn(prompt, f"s{i}", endpoint)
                conduct = Conduct(deadline=200.0)
                record = await run_turn(agent, turn, tap, tools=tools, conduct=conduct)
                spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
                found[name].append({"case": record.case.to_dict(), "spans": spans})
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1].split(","), sys.argv[2:]))
