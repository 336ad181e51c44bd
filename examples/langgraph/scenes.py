"""The texts and calls of the scripted model, by the user's words. No network: graph.py plays it through langgraph."""

import json
import re
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage


@dataclass(frozen=True)
class Call:
    """One tool call."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """The next step of the model: a text, then calls that are sent together."""

    text: str = ''
    calls: tuple[Call, ...] = ()
    error: str | None = None
    """Raise this after the text."""


DAY = {
    'reason': 'question',
    'message': 'When shall I book the table?',
    'responseSchema': {
        'type': 'object',
        'properties': {
            'day': {'type': 'string', 'enum': ['Friday', 'Saturday'], 'title': 'Day'},
            'guests': {'type': 'integer', 'minimum': 1, 'title': 'Guests'},
            'window': {'type': 'boolean', 'title': 'At the window'},
            'note': {'type': 'string', 'title': 'Note'},
        },
        'required': ['day', 'guests'],
    },
}
"""A question whose answer has a form."""

PAGE = ('web_search', 'deployApplication')
"""Tools of the page."""

NAME = 'What name shall I use?'
"""A question whose answer may be anything."""


def user_text(messages: list[BaseMessage]) -> str:
    """The newest message of the user."""
    return next((str(m.content) for m in reversed(messages) if isinstance(m, HumanMessage)), '')


def questions(messages: list[BaseMessage]) -> list[Any]:
    """The questions to the user before the model answers, each through its own interrupt."""
    words = user_text(messages).lower()
    if 'book' in words:
        return [DAY, NAME] if 'name' in words else [DAY]
    return [NAME] if 'name' in words else []


def next_scene(messages: list[BaseMessage], answers: list[Any], offered: list[str]) -> Scene:
    """Choose what the model does. `offered` are the names of the page's tools."""
    if isinstance(messages[-1], ToolMessage):
        return Scene(text=quoted(messages))
    if answers:
        return Scene(text='\n'.join(answered(value) for value in answers))
    return scene(user_text(messages), offered)


def scene(text: str, offered: list[str]) -> Scene:
    """Choose the step for the user's words."""
    words = text.lower()
    found = re.findall(r'\b[A-Z]-\d+\b', text) or ['A-17']
    calls: list[Call] = []
    if 'crash' in words:
        return Scene(text='About to fail.', error='the model exploded')
    if 'where' in words:
        calls += [Call('lookup_order', {'order_id': number}) for number in found]
    if 'refund' in words:
        calls += [Call('refund_order', {'order_id': number, 'amount': 40}) for number in found]
    if 'search' in words:
        calls.append(Call('web_search', {'query': 'leptos'}))
    if 'deploy' in words:
        calls.append(Call('deployApplication', {'environment': 'staging', 'version': '1.4.2'}))
    missing = [call.name for call in calls if call.name in PAGE and call.name not in offered]
    if missing:
        return Scene(text=f'The page does not offer {missing[0]}.')
    return Scene(text='Let me see.', calls=tuple(calls)) if calls else Scene(text=f'You said: {text}')


def answered(value: Any) -> str:
    """The model's text about an answer."""
    if isinstance(value, dict) and value.get('__agui_cancelled__'):
        return 'You gave no answer, so I leave it.'
    return f'You answered {json.dumps(value, ensure_ascii=False)}.'


def quoted(messages: list[BaseMessage]) -> str:
    """The model's text about the results of its calls, which it quotes."""
    results = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
    asked = next(m for m in reversed(messages) if isinstance(m, AIMessage))
    return '\n'.join(f'{call["name"]} returned {results[call["id"]]}.' for call in asked.tool_calls if call['id'] in results)
