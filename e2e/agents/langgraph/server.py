"""LangGraph: `create_agent` with approvals, behind ag-ui-langgraph. Arguments: port, address of the model."""

import asyncio
import json
import sys

import uvicorn
from ag_ui_langgraph import add_langgraph_fastapi_endpoint
from copilotkit import CopilotKitMiddleware, LangGraphAGUIAgent
from fastapi import FastAPI
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


@tool
def lookup_order(order_id: str) -> str:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return json.dumps({'order': order_id, 'state': 'packed'})


@tool
def refund_order(order_id: str, amount: int) -> str:
    """Give money back for an order."""
    return json.dumps({'order': order_id, 'refunded': amount})


async def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    async with AsyncSqliteSaver.from_conn_string('.venv/threads.sqlite') as threads:
        graph = create_agent(
            ChatOpenAI(model='scripted', api_key='none', base_url=model, max_retries=0),
            tools=[lookup_order, refund_order],
            middleware=[CopilotKitMiddleware(), HumanInTheLoopMiddleware(interrupt_on={'refund_order': True})],
            checkpointer=threads,
        )
        app = FastAPI()
        add_langgraph_fastapi_endpoint(app, LangGraphAGUIAgent(name='scripted', graph=graph), '/')
        config = uvicorn.Config(app, host='127.0.0.1', port=int(port), log_level='warning')
        await uvicorn.Server(config).serve()


if __name__ == '__main__':
    asyncio.run(main())
