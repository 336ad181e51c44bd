"""The texts and calls of the scripted client, by the user's words. No network: server.py passes it to the framework."""

import json
import re
from dataclasses import dataclass
from typing import Any

from agent_framework import Content, Message


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


def next_scene(messages: list[Message], offered: list[str]) -> Scene:
    """Choose what the model does. `offered` are the names of all tools, the page's and the server's."""
    results = [part for part in messages[-1].contents if part.type == 'function_result'] if messages else []
    if results:
        return Scene(text='\n'.join(quoted(part, messages) for part in results_since_calls(messages)))
    text = next((m.text for m in reversed(messages) if m.role == 'user' and m.text), '')
    return scene(text, offered)


def results_since_calls(messages: list[Message]) -> list[Content]:
    """The results that came after the last call."""
    found: list[Content] = []
    for message in messages:
        for part in message.contents:
            if part.type == 'function_call':
                found = []
            elif part.type == 'function_result':
                found.append(part)
    return found


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
    missing = [call.name for call in calls if call.name not in offered]
    if missing:
        return Scene(text=f'The page does not offer {missing[0]}.')
    return Scene(text='Let me see.', calls=tuple(calls)) if calls else Scene(text=f'You said: {text}')


def quoted(result: Content, messages: list[Message]) -> str:
    """The model's text about the result of a call, which it quotes."""
    parts = [part for message in messages for part in message.contents]
    calls = {part.call_id: part.name for part in parts if part.type == 'function_call'}
    value = result.result if isinstance(result.result, str) else json.dumps(result.result)
    return f'{calls.get(result.call_id, "A tool")} returned {value}.'
