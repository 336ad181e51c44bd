"""An AG-UI agent to talk to: pydantic-ai with a scripted model (scenes.py), so it needs no key and no network.

POST / runs the agent. GET /requests gives the requests so far as they came in (the last 200), DELETE /requests forgets
them: the end-to-end tests read there what the page sent.
"""

import argparse
import asyncio
import json
import uuid
from collections import deque
from collections.abc import AsyncIterator

import uvicorn
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from scenes import Scene, answer, scene

RECORDED: deque[dict] = deque(maxlen=200)
BROKEN: set[str] = set()


def latest(messages: list[ModelMessage]) -> tuple[str | None, list[tuple[str, object]]]:
    """The user's words and the tool results that came after the model's last response."""
    words, results = None, []
    for message in messages:
        if isinstance(message, ModelResponse):
            words, results = None, []
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart) and isinstance(part.content, str):
                words = part.content
            elif isinstance(part, ToolReturnPart):
                denied = {'status': 'denied', 'reason': part.content}
                results.append((part.tool_name, denied if part.outcome == 'denied' else part.content))
            elif isinstance(part, RetryPromptPart) and part.tool_name:
                results.append((part.tool_name, {'error': part.model_response()}))
    return words, results


def last_words(messages: list[ModelMessage]) -> str:
    """The newest message of the user in the whole conversation."""
    texts = [
        part.content
        for message in messages
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]
    return texts[-1] if texts else ''


async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    """The scripted model: text in small pieces, then calls with fresh ids."""
    words, results = latest(messages)
    offered = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
    if words is not None:
        next_scene = scene(words, offered)
    elif 'keep searching' in last_words(messages).lower():
        next_scene = scene(last_words(messages), offered)
    else:
        next_scene = answer(results)
    async for item in play(next_scene):
        yield item


async def play(next_scene: Scene) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    """The pieces of one scene."""
    for piece in pieces(next_scene.text):
        yield piece
        await asyncio.sleep(next_scene.delay)
    if next_scene.error is not None:
        raise RuntimeError(next_scene.error)
    for index, call in enumerate(next_scene.calls):
        args = call.args if isinstance(call.args, str) else json.dumps(call.args, ensure_ascii=False)
        yield {index: DeltaToolCall(name=call.name, tool_call_id=f'call_{uuid.uuid4().hex}')}
        for start in range(0, len(args), 7):
            yield {index: DeltaToolCall(json_args=args[start : start + 7])}


def pieces(text: str) -> list[str]:
    """The text cut after each blank, as models stream it."""
    words = text.split(' ')
    return [word + ' ' for word in words[:-1]] + words[-1:] if text else []


agent = Agent(FunctionModel(stream_function=model), output_type=[str, DeferredToolRequests])


@agent.tool_plain
def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order. Runs here, on the server."""
    return {'order': order_id, 'state': 'packed'}


@agent.tool_plain(requires_approval=True)
def refund_order(order_id: str, amount: int) -> dict[str, str | int]:
    """Give money back for an order. Runs here, once a person has approved it: the run ends with an interrupt first."""
    return {'order': order_id, 'refunded': amount}


async def run(request: Request) -> Response:
    """One run of the agent. Two scenes end the stream without its last event, as a broken line does."""
    body = (await request.body()).decode()
    RECORDED.append({'headers': dict(request.headers), 'body': body})
    response = await AGUIAdapter.dispatch_request(request, agent=agent)
    how = broken_line(body)
    if how and isinstance(response, StreamingResponse):
        response.body_iterator = short(response.body_iterator, fail=how == 'cut the line')
    return response


def broken_line(body: str) -> str | None:
    """The broken connection that the user's newest message asks for; each message breaks it once, so a retry works."""
    message = json.loads(body)['messages'][-1]
    if message['role'] != 'user' or message['id'] in BROKEN:
        return None
    how = next((words for words in ('cut the line', 'stop short') if words in str(message['content']).lower()), None)
    if how:
        BROKEN.add(message['id'])
    return how


async def short(chunks: AsyncIterator[bytes | str], fail: bool) -> AsyncIterator[bytes | str]:
    """The first chunks only; then the connection breaks, or the stream ends in good form but too early."""
    count = 0
    async for chunk in chunks:
        yield chunk
        count += 1
        if count == 12:
            break
    if fail:
        # A browser throws away what it has not read when a connection breaks.
        await asyncio.sleep(0.3)
        raise ConnectionError('the scene "cut the line" breaks the connection here')


async def requests(request: Request) -> Response:
    """The requests so far."""
    if request.method == 'DELETE':
        RECORDED.clear()
    return JSONResponse(list(RECORDED))


def application(origins: list[str]) -> Starlette:
    """The server; pages of the given origins may call it from a browser."""
    cors = Middleware(CORSMiddleware, allow_origins=origins, allow_methods=['POST'], allow_headers=['*'])
    return Starlette(
        routes=[
            Route('/', run, methods=['POST']),
            Route('/requests', requests, methods=['GET', 'DELETE']),
        ],
        middleware=[cors] if origins else [],
    )


def main() -> None:
    """Serve on this machine only."""
    parser = argparse.ArgumentParser(description='A scripted AG-UI agent on pydantic-ai.')
    parser.add_argument('--port', type=int, default=8000)
    parser.add_argument('--cors', action='append', default=[], metavar='ORIGIN', help='let pages of ORIGIN call it')
    options = parser.parse_args()
    uvicorn.run(application(options.cors), host='127.0.0.1', port=options.port, log_level='warning')


if __name__ == '__main__':
    main()
