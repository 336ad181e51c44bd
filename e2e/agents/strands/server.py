"""Strands: an agent with two tools behind ag-ui-strands. Arguments: port, address of the model."""

import sys

import uvicorn
from ag_ui_strands import StrandsAgent, StrandsAgentConfig, ToolBehavior, create_strands_app
from strands import Agent, tool
from strands.models.openai import OpenAIModel


@tool
def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


@tool
def refund_order(order_id: str, amount: int) -> dict[str, str | int]:
    """Give money back for an order."""
    return {'order': order_id, 'refunded': amount}


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    client = {'api_key': 'none', 'base_url': model, 'max_retries': 0}
    agent = Agent(
        model=OpenAIModel(client_args=client, model_id='scripted'),
        tools=[lookup_order, refund_order],
        callback_handler=None,
    )
    config = StrandsAgentConfig(tool_behaviors={'refund_order': ToolBehavior(interrupt_on_call=True)})
    served = StrandsAgent(agent, name='scripted', config=config)
    uvicorn.run(create_strands_app(served, path='/'), host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
