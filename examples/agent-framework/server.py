"""An AG-UI agent to talk to: the agent framework with a scripted chat client (scenes.py), so no key and no network.

Its adapter speaks AG-UI as it was before 1.0. POST / runs the agent. GET /requests gives the requests so far as they
came in (the last 200), DELETE /requests forgets them.
"""

import argparse
import json
import uuid
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

import uvicorn
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)
from agent_framework_ag_ui import add_agent_framework_fastapi_endpoint
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.middleware.cors import CORSMiddleware

from scenes import next_scene

RECORDED: deque[dict] = deque(maxlen=200)


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """A chat client that plays scenes: text in small pieces, then calls with fresh ids."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        updates = self._updates(list(messages), options)
        if stream:
            return self._build_response_stream(updates)
        return self._whole(updates)

    async def _whole(self, updates: AsyncIterator[ChatResponseUpdate]) -> ChatResponse:
        return self._finalize_response_updates([update async for update in updates])

    async def _updates(
        self, messages: list[Message], options: Mapping[str, Any]
    ) -> AsyncIterator[ChatResponseUpdate]:
        scene = next_scene(messages, [tool.name for tool in options.get('tools') or []])
        message_id = f'msg_{uuid.uuid4().hex}'
        words = scene.text.split(' ') if scene.text else []
        for piece in [word + ' ' for word in words[:-1]] + words[-1:]:
            yield update(message_id, Content.from_text(piece))
        if scene.error is not None:
            raise RuntimeError(scene.error)
        for call in scene.calls:
            call_id, args = f'call_{uuid.uuid4().hex}', json.dumps(call.args)
            for start in range(0, len(args), 9):
                part = args[start : start + 9]
                yield update(message_id, Content.from_function_call(call_id, call.name, arguments=part))


def update(message_id: str, content: Content) -> ChatResponseUpdate:
    """One piece of the model's answer."""
    return ChatResponseUpdate(role='assistant', contents=[content], message_id=message_id)


@tool(approval_mode='never_require')
def lookup_order(order_id: str) -> str:
    """The state of an order."""
    return json.dumps({'order': order_id, 'state': 'packed'})


@tool(approval_mode='always_require')
def refund_order(order_id: str, amount: int) -> str:
    """Give money back for an order, once a person has approved it."""
    return json.dumps({'order': order_id, 'refunded': amount})


def application(origins: list[str]) -> FastAPI:
    """The server; pages of the given origins may call it from a browser."""
    app = FastAPI()
    agent = Agent(client=Scripted(), name='scripted', tools=[lookup_order, refund_order])
    add_agent_framework_fastapi_endpoint(app, agent, '/', single_user=True)

    @app.middleware('http')
    async def record(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        if request.method == 'POST':
            body = (await request.body()).decode()
            RECORDED.append({'headers': dict(request.headers), 'body': body})
        return await go_on(request)

    @app.api_route('/requests', methods=['GET', 'DELETE'])
    async def requests(request: Request) -> Response:
        if request.method == 'DELETE':
            RECORDED.clear()
        return JSONResponse(list(RECORDED))

    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=['POST'], allow_headers=['*'])
    return app


def main() -> None:
    """Serve on this machine only."""
    parser = argparse.ArgumentParser(description='A scripted AG-UI agent on the agent framework.')
    parser.add_argument('--port', type=int, default=8000)
    parser.add_argument('--cors', action='append', default=[], metavar='ORIGIN', help='let pages of ORIGIN call it')
    options = parser.parse_args()
    uvicorn.run(application(options.cors), host='127.0.0.1', port=options.port, log_level='warning')


if __name__ == '__main__':
    main()
