"""The texts and calls of the scripted model, selected by the user's words. No network, no clock: server.py passes it to
pydantic-ai.

A scene is a list of steps: a text, or a list of calls that are sent together. Names and arguments follow the tools that
the page offers in the request; a scene whose tool is not offered says so in text instead.
"""

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """One tool call: `args` is a JSON value, or a string that goes out as it is."""

    name: str
    args: Any


@dataclass(frozen=True)
class Scene:
    """The next step of the model."""

    text: str = ''
    calls: tuple[Call, ...] = ()
    error: str | None = None
    """Raise this after the text: the run ends with RUN_ERROR."""
    delay: float = 0.0
    """Seconds between two pieces of text."""


BACKEND = ('lookup_order', 'refund_order')
"""Tools that run here, on the server; the second only after a person has approved it."""


def cities(text: str) -> list[str]:
    """The cities in "the weather in Oslo and Bergen?", at least one."""
    match = re.search(r'\bin ([^?.!]+)', text)
    names = re.split(r',| and ', match.group(1)) if match else []
    return [name.strip() for name in names if name.strip()] or ['San Francisco']


def after(words: str, text: str, default: str) -> str:
    """The rest of the sentence after one of the words, else the default."""
    match = re.search(rf'\b(?:{words})\s+([^?.!]+)', text, re.IGNORECASE)
    return match.group(1).strip() if match else default


def order(text: str) -> str:
    """The number in "order A-17", else a fixed one."""
    match = re.search(r'\border\s+([\w-]+)', text, re.IGNORECASE)
    return match.group(1) if match else 'A-17'


def refunds(text: str) -> tuple[Call, ...]:
    """A call for each order in "refund A-17 and B-2", at least one."""
    found = re.findall(r'\b[A-Z]-\d+\b', text) or ['A-17']
    return tuple(Call('refund_order', {'order_id': number, 'amount': 40}) for number in found)


def scene(text: str, offered: dict[str, dict[str, Any]]) -> Scene:
    """Choose what to do for the words of a user. `offered` maps the names of the page's tools to their schemas."""
    words = text.lower()

    def call(name: str, **args: Any) -> Call:
        return Call(name, fit(args, offered.get(name, {})))

    def offered_only(*calls: Call, text: str = '') -> Scene:
        missing = [c.name for c in calls if c.name not in offered and c.name not in BACKEND]
        if missing:
            return Scene(text=f'The page does not offer {", ".join(missing)}.')
        return Scene(text=text, calls=calls)

    if 'crash' in words:
        return Scene(text='About to fail.', error='the model exploded')
    if 'cut the line' in words or 'stop short' in words:
        return Scene(text='This answer breaks off before its end, ' * 20)
    if 'long' in words:
        return Scene(text=' '.join(f'word{n}' for n in range(1, 401)), delay=0.02)
    if 'unknown tool' in words:
        return Scene(calls=(Call('teleport', {'to': 'Mars'}),))
    if 'wrong arguments' in words:
        return Scene(calls=(Call('web_search', {'query': 7}),))
    if 'keep searching' in words:
        return offered_only(call('web_search', query='and again'))
    if 'refund' in words and 'search' in words:
        return offered_only(*refunds(text), call('web_search', query='refund policy'))
    if 'refund' in words and 'look' in words:
        return Scene(calls=(Call('lookup_order', {'order_id': order(text)}), *refunds(text)))
    if 'refund' in words:
        return Scene(calls=refunds(text))
    if 'order' in words and 'confirm' in words:
        return offered_only(
            Call('lookup_order', {'order_id': order(text)}),
            call('confirmAction', action=f'ship order {order(text)}', importance='high'),
        )
    if 'order' in words:
        return Scene(calls=(Call('lookup_order', {'order_id': order(text)}),))
    if 'search' in words and 'weather' in words:
        return offered_only(
            call('web_search', query=after('search for', text.split(' and ')[0], 'leptos')),
            call('get_weather', location=cities(text)[0]),
            text='Both at once.',
        )
    if 'weather' in words:
        return offered_only(
            *(call('get_weather', location=city) for city in cities(text)), text='Let me check the weather.'
        )
    if 'search' in words:
        return offered_only(call('web_search', query=after('search for|search', text, 'leptos')))
    if 'delete' in words:
        return offered_only(
            call('confirmDeletion', resourceType='file', resourceName=after('delete', text, 'report.pdf'))
        )
    if 'data source' in words:
        return offered_only(call('selectDataSource', dataTypes=['logs', 'metrics']))
    if 'process' in words or 'stages' in words:
        return offered_only(call('deployment_process', environment='staging', version='1.4.2'))
    if 'deploy' in words:
        return offered_only(call('deployApplication', environment='staging', version='1.4.2'))
    if 'confirm' in words:
        return offered_only(
            call('confirmAction', action=after('confirm', text, 'restart the server'), importance='high')
        )
    return Scene(text=f'You said: {text}')


def answer(results: list[tuple[str, Any]]) -> Scene:
    """The model's text about the results of its calls, quoted in the order in which they were given."""
    lines = []
    for name, content in results:
        raw = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        value = parse(raw)
        if isinstance(value, dict) and 'error' in value:
            lines.append(f'{name} failed: {value["error"]}. I will continue without it.')
        elif value == 'denied' or isinstance(value, dict) and value.get('status') == 'denied':
            reason = value.get('reason') if isinstance(value, dict) else None
            lines.append(f'{name} was denied{f" ({reason})" if reason else ""}, so I leave it.')
        else:
            lines.append(f'{name} returned {raw}.')
    return Scene(text='\n'.join(lines))


def parse(text: str) -> Any:
    """The JSON value of a text, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def fit(args: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Keep the arguments that the page's schema names, and give a plain value to what it requires beyond them."""
    properties = schema.get('properties')
    if not isinstance(properties, dict):
        return args
    kept = {name: value for name, value in args.items() if name in properties}
    spare = [value for name, value in args.items() if name not in properties]
    for name in schema.get('required', []):
        if name not in kept:
            kept[name] = spare.pop(0) if spare else plain(properties.get(name, {}))
    return kept


def plain(schema: dict[str, Any]) -> Any:
    """A value that fits a simple schema."""
    if schema.get('enum'):
        return schema['enum'][0]
    kinds = {'integer': 1, 'number': 1, 'boolean': True, 'array': [], 'object': {}, 'null': None}
    return kinds.get(schema.get('type', 'string'), 'example')
