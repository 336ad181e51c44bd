"""Google ADK: an agent with two tools and those of the page, behind ag-ui-adk. Arguments: port, address of the model."""

import sys

import uvicorn
from ag_ui_adk import ADKAgent, AGUIToolset, add_adk_fastapi_endpoint
from fastapi import FastAPI
from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.tools import FunctionTool


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
    agent = LlmAgent(
        name='scripted',
        model=Gemini(model='gemini-scripted', base_url=model.removesuffix('/v1')),
        tools=[lookup_order, FunctionTool(refund_order, require_confirmation=True), AGUIToolset()],
    )
    app = FastAPI()
    served = ADKAgent(adk_agent=agent, app_name='demo', user_id='user', emit_interrupt_outcome=True)
    add_adk_fastapi_endpoint(app, served, path='/')
    uvicorn.run(app, host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
