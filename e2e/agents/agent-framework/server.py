"""Microsoft Agent Framework: an agent with two tools behind its AG-UI endpoint. Arguments: port, address of the model."""

import json
import sys

import uvicorn
from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from agent_framework_ag_ui import add_agent_framework_fastapi_endpoint
from fastapi import FastAPI
from openai import AsyncOpenAI


@tool(approval_mode='never_require')
def lookup_order(order_id: str) -> str:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return json.dumps({'order': order_id, 'state': 'packed'})


@tool(approval_mode='always_require')
def refund_order(order_id: str, amount: int) -> str:
    """Give money back for an order."""
    return json.dumps({'order': order_id, 'refunded': amount})


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    client = AsyncOpenAI(api_key='none', base_url=model, max_retries=0)
    agent = Agent(
        client=OpenAIChatCompletionClient(model='scripted', async_client=client),
        name='scripted',
        tools=[lookup_order, refund_order],
    )
    app = FastAPI()
    add_agent_framework_fastapi_endpoint(app, agent, '/', single_user=True)
    uvicorn.run(app, host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
