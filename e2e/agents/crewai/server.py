"""CrewAI: a flow with a tool, behind ag-ui-crewai. Arguments: port, address of the model."""

import json
import os
import sys
from typing import Any

# Read by the imports below: no reports to its makers, and no download of prices.
os.environ.update(CREWAI_DISABLE_TELEMETRY='true', LITELLM_LOCAL_MODEL_COST_MAP='true')

import uvicorn
from ag_ui_crewai import CopilotKitState, add_crewai_flow_fastapi_endpoint, copilotkit_emit_tool_result, copilotkit_stream
from crewai.flow.flow import Flow, start
from fastapi import FastAPI
from litellm import acompletion

PORT, MODEL = sys.argv[1:]
LOOKUP = {
    'type': 'function',
    'function': {
        'name': 'lookup_order',
        'description': 'The state of an order.',
        'parameters': {
            'type': 'object',
            'properties': {'order_id': {'type': 'string'}},
            'required': ['order_id'],
        },
    },
}


def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


class Chat(Flow[CopilotKitState]):
    """A chat: the model, then the tools of this server, until neither is left."""

    @start()
    async def chat(self) -> None:
        """Answer the user's message, or the results of the page."""
        while True:
            stream = await acompletion(
                model='openai/scripted',
                api_base=MODEL,
                api_key='none',
                max_retries=0,
                messages=self.state.messages,
                tools=[*self.state.copilotkit.actions, LOOKUP],
                stream=True,
            )
            message = (await copilotkit_stream(stream)).choices[0].message
            self.state.messages.append(message)
            own = [call for call in message.tool_calls or [] if call.function.name == 'lookup_order']
            for call in own:
                await self.answer(call)
            if not own or len(own) < len(message.tool_calls):
                return

    async def answer(self, call: Any) -> None:
        """Run a call of the server's tool."""
        try:
            result = json.dumps(lookup_order(**json.loads(call.function.arguments)))
        except ValueError as error:
            result = json.dumps({'error': str(error)})
        self.state.messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': result})
        await copilotkit_emit_tool_result(call.id, result)


def main() -> None:
    """Serve on this machine only."""
    app = FastAPI()
    add_crewai_flow_fastapi_endpoint(app, Chat(), '/')
    uvicorn.run(app, host='127.0.0.1', port=int(PORT), log_level='warning')


if __name__ == '__main__':
    main()
