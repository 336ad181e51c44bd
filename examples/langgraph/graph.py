"""The graph: questions to the user, then the scripted model, then its tools, until nothing is left to do.

A call of a tool that is not here belongs to the page: the graph ends, the page answers, and the next run continues with
its answer.
"""

import json
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send, interrupt

from scenes import next_scene, questions

APPROVAL = {
    'type': 'object',
    'properties': {
        'approved': {'type': 'boolean'},
        'editedArgs': {
            'type': 'object',
            'properties': {'order_id': {'type': 'string'}, 'amount': {'type': 'integer'}},
            'required': ['order_id', 'amount'],
        },
        'reason': {'type': 'string'},
    },
    'required': ['approved'],
}


class State(MessagesState):
    """The state of a thread."""

    tools: list[Any]
    """The page's tools; the adapter puts them here."""
    steps: int
    """The number of model steps, as visible content for state snapshots."""
    answers: Annotated[list[Any], lambda old, new: [] if new is None else old + new]
    """The user's answers in this turn."""


class Scripted(BaseChatModel):
    """A chat model that plays scenes: text in small pieces, then calls with fresh ids."""

    @property
    def _llm_type(self) -> str:
        return 'scripted'

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: Any = None,
        run_manager: Any = None,
        answers: list[Any] | None = None,
        offered: list[str] | None = None,
        **_: Any,
    ) -> Iterator[ChatGenerationChunk]:
        scene = next_scene(messages, answers or [], offered or [])
        for piece in re.findall(r'\S*\s?', scene.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        if scene.error is not None:
            raise RuntimeError(scene.error)
        for index, call in enumerate(scene.calls):
            ids = {'name': call.name, 'id': f'call_{uuid.uuid4().hex}'}
            yield tool_chunk(index, '', **ids)
            args = json.dumps(call.args)
            for start in range(0, len(args), 9):
                yield tool_chunk(index, args[start : start + 9])

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(*args, **kwargs):
            yield chunk

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return generate_from_stream(self._stream(*args, **kwargs))


def tool_chunk(index: int, args: str, name: str | None = None, id: str | None = None) -> ChatGenerationChunk:
    """A piece of a tool call."""
    chunk = {'index': index, 'args': args, 'name': name, 'id': id, 'type': 'tool_call_chunk'}
    return ChatGenerationChunk(message=AIMessageChunk(content='', tool_call_chunks=[chunk]))


@tool
def lookup_order(order_id: str) -> str:
    """The state of an order."""
    return json.dumps({'order': order_id, 'state': 'packed'})


@tool
def refund_order(order_id: str, amount: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Give money back for an order, once a person has approved it."""
    decision = interrupt(
        {
            'reason': 'tool_call',
            'message': f'Refund {amount} for order {order_id}?',
            'toolCallId': tool_call_id,
            'responseSchema': APPROVAL,
        }
    )
    if not isinstance(decision, dict) or decision.get('approved') is not True:
        reason = decision.get('reason') if isinstance(decision, dict) else None
        return json.dumps({'denied': reason or 'no reason given'})
    args = {'order_id': order_id, 'amount': amount, **(decision.get('editedArgs') or {})}
    return json.dumps({'order': args['order_id'], 'refunded': args['amount']})


TOOLS = {tool.name: tool for tool in (lookup_order, refund_order)}


def begin(state: State) -> dict[str, Any]:
    """A new turn: forget what was answered in the last one."""
    return {'answers': None}


def ask_or_speak(state: State) -> list[Send] | str:
    """Ask what has to be asked first, everything at once."""
    asked = [] if isinstance(state['messages'][-1], ToolMessage) else questions(state['messages'])
    return [Send('ask', question) for question in asked] or 'model'


def ask(question: Any) -> dict[str, Any]:
    """Stop until the user has answered."""
    return {'answers': [interrupt(question)]}


async def model(state: State, config: RunnableConfig) -> dict[str, Any]:
    """Let the model speak."""
    offered = [tool['name'] if isinstance(tool, dict) else tool.name for tool in state.get('tools') or []]
    message = await Scripted().ainvoke(
        state['messages'], config, answers=state.get('answers') or [], offered=offered
    )
    return {'messages': [message], 'steps': (state.get('steps') or 0) + 1}


def to_tools(state: State) -> list[Send] | str:
    """Run the calls of the tools that are here, each on its own."""
    calls = [call for call in state['messages'][-1].tool_calls if call['name'] in TOOLS]
    return [Send('tools', call) for call in calls] or END


async def run_tool(call: dict[str, Any], config: RunnableConfig) -> dict[str, Any]:
    """Run one call."""
    return {'messages': [await TOOLS[call['name']].ainvoke({**call, 'type': 'tool_call'}, config)]}


def after_tools(state: State) -> str:
    """Back to the model, unless the page has calls to answer first."""
    asked = next(m for m in reversed(state['messages']) if isinstance(m, AIMessage))
    return 'model' if all(call['name'] in TOOLS for call in asked.tool_calls) else END


def build() -> CompiledStateGraph:
    """The graph, with threads kept in memory."""
    graph = StateGraph(State)
    graph.add_node('begin', begin)
    graph.add_node('ask', ask)
    graph.add_node('model', model)
    graph.add_node('tools', run_tool)
    graph.add_edge(START, 'begin')
    graph.add_conditional_edges('begin', ask_or_speak, ['ask', 'model'])
    graph.add_edge('ask', 'model')
    graph.add_conditional_edges('model', to_tools, ['tools', END])
    graph.add_conditional_edges('tools', after_tools, ['model', END])
    return graph.compile(checkpointer=InMemorySaver())
