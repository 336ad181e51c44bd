"""AG2: an agent with two tools behind its AG-UI stream. Arguments: port, address of the model."""

import sys

import uvicorn
from ag2 import Agent, tool
from ag2.ag_ui import AGUIStream
from ag2.config import OpenAIConfig
from ag2.middleware import approval_required
from starlette.applications import Starlette
from starlette.routing import Route


@tool
def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


@tool(middleware=[approval_required()])
def refund_order(order_id: str, amount: int) -> dict[str, str | int]:
    """Give money back for an order."""
    return {'order': order_id, 'refunded': amount}


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    config = OpenAIConfig(model='scripted', api_key='none', base_url=model, max_retries=0, streaming=True)
    agent = Agent('scripted', config=config, tools=[lookup_order, refund_order])
    app = Starlette(routes=[Route('/', AGUIStream(agent).build_asgi())])
    uvicorn.run(app, host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
