"""An AG-UI agent to talk to: langgraph through ag-ui-langgraph, with a scripted model (scenes.py): no key, no network.

POST / runs the graph as the adapter does by default: interrupts are custom events `on_interrupt`, answered through
`forwardedProps.command.resume`, and every event carries the raw one. POST /outcome runs it with interrupts as the
outcome of the run too, answered through `resume`, and without raw events. GET /requests gives the requests so far as
they came in (the last 200), DELETE /requests forgets them.
"""

import argparse
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import uvicorn
from ag_ui.core import RunAgentInput
from ag_ui.encoder import EventEncoder
from ag_ui_langgraph import LangGraphAgent
from langgraph.types import Command
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from graph import build

RECORDED: deque[dict] = deque(maxlen=200)


class Outcomes(LangGraphAgent):
    """The adapter with answers to several interrupts at once, which its default gives to none of them."""

    def _build_command_from_agui_resume(self, entries: list[Any], **kwargs: Any) -> Command:
        if len(entries) == 1:
            return super()._build_command_from_agui_resume(entries, **kwargs)
        return Command(
            resume={
                entry.interrupt_id: entry.payload if entry.status == 'resolved' else {'__agui_cancelled__': True}
                for entry in entries
            }
        )


def endpoint(agent: LangGraphAgent) -> Callable[[Request], Awaitable[Response]]:
    """Runs of an agent over HTTP, as the adapter's own endpoint for FastAPI has them."""

    async def run(request: Request) -> Response:
        body = (await request.body()).decode()
        RECORDED.append({'headers': dict(request.headers), 'body': body})
        run_input = RunAgentInput.model_validate_json(body)
        encoder = EventEncoder(accept=request.headers.get('accept'))

        async def events() -> AsyncIterator[str]:
            # An agent keeps the state of its run, so each request has its own.
            async for event in agent.clone().run(run_input):
                yield encoder.encode(event)

        return StreamingResponse(events(), media_type=encoder.get_content_type())

    return run


async def requests(request: Request) -> Response:
    """The requests so far."""
    if request.method == 'DELETE':
        RECORDED.clear()
    return JSONResponse(list(RECORDED))


def application(origins: list[str]) -> Starlette:
    """The server; pages of the given origins may call it from a browser."""
    graph = build()
    legacy = LangGraphAgent(name='scripted', graph=graph)
    outcome = Outcomes(name='scripted', graph=graph, emit_interrupt_outcome=True, emit_raw_events=False)
    cors = Middleware(CORSMiddleware, allow_origins=origins, allow_methods=['POST'], allow_headers=['*'])
    return Starlette(
        routes=[
            Route('/', endpoint(legacy), methods=['POST']),
            Route('/outcome', endpoint(outcome), methods=['POST']),
            Route('/requests', requests, methods=['GET', 'DELETE']),
        ],
        middleware=[cors] if origins else [],
    )


def main() -> None:
    """Serve on this machine only."""
    parser = argparse.ArgumentParser(description='A scripted AG-UI agent on langgraph.')
    parser.add_argument('--port', type=int, default=8000)
    parser.add_argument('--cors', action='append', default=[], metavar='ORIGIN', help='let pages of ORIGIN call it')
    options = parser.parse_args()
    uvicorn.run(application(options.cors), host='127.0.0.1', port=options.port, log_level='warning')


if __name__ == '__main__':
    main()
