"""CrewAI: a flow with tools, behind ag-ui-crewai. Arguments: port, address of the model."""

import json
import os
import sys
from typing import Any

# Read by the imports below: no reports to its makers, no download of prices, and a place for the flows that wait.
os.environ.update(CREWAI_DISABLE_TELEMETRY='true', LITELLM_LOCAL_MODEL_COST_MAP='true')
os.environ.update(CREWAI_STORAGE_DIR=os.path.abspath('.venv/stored'))

import uvicorn
from ag_ui_crewai import (
    AGUIFeedbackProvider,
    CopilotKitState,
    add_crewai_flow_fastapi_endpoint,
    copilotkit_emit_tool_result,
    copilotkit_stream,
)
from crewai.flow.flow import Flow, listen, or_, router, start
from crewai.flow.human_feedback import HumanFeedbackResult, human_feedback
from fastapi import FastAPI
from litellm import acompletion

PORT, MODEL = sys.argv[1:]


def lookup_order(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id == 'X-0':
        raise ValueError('no order X-0')
    return {'order': order_id, 'state': 'packed'}


def refund_order(order_id: str, amount: float) -> dict[str, Any]:
    """Refund an order."""
    return {'order': order_id, 'refunded': amount}


def schema(tool: Any, **properties: str) -> dict[str, Any]:
    """The description of a tool for the model."""
    parameters = {
        'type': 'object',
        'properties': {name: {'type': kind} for name, kind in properties.items()},
        'required': [*properties],
    }
    function = {'name': tool.__name__, 'description': tool.__doc__, 'parameters': parameters}
    return {'type': 'function', 'function': function}


TOOLS = {'lookup_order': lookup_order, 'refund_order': refund_order}
SCHEMAS = [schema(lookup_order, order_id='string'), schema(refund_order, order_id='string', amount='number')]


class Chat(Flow[CopilotKitState]):
    """A chat: the model, then the tools of this server, until neither is left."""

    @start()
    async def chat(self) -> None:
        """Answer the user's message, or the results of the page."""
        await self.work()

    @router(or_(chat, 'decided'))
    def route(self) -> str:
        """Ask if a refund waits for the user's decision."""
        return 'refund' if self.refund() else 'done'

    @listen('refund')
    @human_feedback(message='May refund_order run? Answer yes to approve.', provider=AGUIFeedbackProvider())
    def ask(self) -> dict[str, Any]:
        """Ask about the next refund, and show the call."""
        function = self.refund()['function']
        return {'name': function['name'], 'arguments': json.loads(function['arguments'])}

    @router(ask)
    async def decide(self, asked: HumanFeedbackResult) -> str:
        """Refund only if the feedback is "yes": the feedback of a stopped question is empty."""
        await self.answer(self.refund(), approved=asked.feedback.strip().lower() == 'yes')
        if not self.refund():
            await self.work()
        return 'decided'

    async def work(self) -> None:
        """Run the model and the tools that need no approval, until a call waits for the user or the page."""
        while True:
            stream = await acompletion(
                model='openai/scripted',
                api_base=MODEL,
                api_key='none',
                max_retries=0,
                messages=self.state.messages,
                tools=[*self.state.copilotkit.actions, *SCHEMAS],
                stream=True,
            )
            message = (await copilotkit_stream(stream)).choices[0].message
            self.state.messages.append(message.model_dump())
            calls = message.tool_calls or []
            own = [call for call in calls if call.function.name == 'lookup_order']
            for call in own:
                await self.answer(call.model_dump())
            if not own or len(own) < len(calls):
                return

    def refund(self) -> dict[str, Any] | None:
        """The first refund that has no result."""
        messages = self.state.messages
        calls = [call for message in messages for call in message.get('tool_calls') or []]
        answered = {message.get('tool_call_id') for message in messages}
        waits = (call for call in calls if call['function']['name'] == 'refund_order' and call['id'] not in answered)
        return next(waits, None)

    async def answer(self, call: dict[str, Any], approved: bool = True) -> None:
        """Run a call of a tool of this server, unless it was denied."""
        function = call['function']
        try:
            result = TOOLS[function['name']](**json.loads(function['arguments'])) if approved else {'status': 'denied'}
        except ValueError as error:
            result = {'error': str(error)}
        content = json.dumps(result)
        self.state.messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': content})
        await copilotkit_emit_tool_result(call['id'], content)


def main() -> None:
    """Serve on this machine only."""
    app = FastAPI()
    add_crewai_flow_fastapi_endpoint(app, Chat(), '/', emit_interrupt_outcome=True)
    uvicorn.run(app, host='127.0.0.1', port=int(PORT), log_level='warning')


if __name__ == '__main__':
    main()
