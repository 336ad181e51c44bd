"""Agno: an agent with two tools behind the AG-UI interface of AgentOS. Arguments: port, address of the model."""

import sys

import uvicorn
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI
from agno.tools import tool


@tool
def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


@tool(requires_confirmation=True)
def refund_order(order_id: str, amount: int) -> dict[str, str | int]:
    """Give money back for an order."""
    return {'order': order_id, 'refunded': amount}


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    agent = Agent(
        name='scripted',
        model=OpenAIChat(id='scripted', api_key='none', base_url=model, max_retries=0),
        tools=[lookup_order, refund_order],
        db=InMemoryDb(),
        add_history_to_context=True,
        telemetry=False,
    )
    served = AgentOS(agents=[agent], interfaces=[AGUI(agent=agent)], telemetry=False)
    uvicorn.run(served.get_app(), host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
