"""LlamaIndex: the AG-UI workflow with a tool. Arguments: port, address of the model."""

import sys

import uvicorn
from fastapi import FastAPI
from llama_index.llms.openai_like import OpenAILike
from llama_index.protocols.ag_ui.router import get_ag_ui_workflow_router


def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


def main() -> None:
    """Serve on this machine only."""
    port, model = sys.argv[1:]
    llm = OpenAILike(
        model='scripted',
        api_key='none',
        api_base=model,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )
    app = FastAPI()
    app.include_router(get_ag_ui_workflow_router(llm=llm, backend_tools=[lookup_order]))
    uvicorn.run(app, host='127.0.0.1', port=int(port), log_level='warning')


if __name__ == '__main__':
    main()
