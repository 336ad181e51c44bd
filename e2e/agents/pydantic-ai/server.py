"""Pydantic AI: an agent with two tools behind its AG-UI adapter. Arguments: port, address of the model."""

import sys

import uvicorn
from openai import AsyncOpenAI
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


def refund_order(order_id: str, amount: int) -> dict[str, str | int]:
    """Give money back for an order."""
    return {'order': order_id, 'refunded': amount}


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    client = AsyncOpenAI(api_key='none', base_url=model, max_retries=0)
    agent = Agent(
        OpenAIChatModel('scripted', provider=OpenAIProvider(openai_client=client)),
        output_type=[str, DeferredToolRequests],
    )
    agent.tool_plain(lookup_order)
    agent.tool_plain(refund_order, requires_approval=True)

    async def run(request: Request) -> Response:
        return await AGUIAdapter.dispatch_request(request, agent=agent)

    app = Starlette(routes=[Route('/', run, methods=['POST'])])
    uvicorn.run(app, host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
