"""A page of Django with the chat in it, under a strict policy, and a view that forwards requests to an AG-UI agent.

The environment variable AGENT is the agent's address.
"""

import argparse
import hashlib
import os
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import uvicorn
from csp.constants import NONE, SELF
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.management.utils import get_random_secret_key
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_POST

HERE = Path(__file__).resolve().parent
# The packed npm package in `assistant/`, with the script and the style sheet of the page.
STATIC = HERE.parent.parent / 'dist/static'
AGENT = os.environ.get('AGENT', 'http://127.0.0.1:8000/')

settings.configure(
    SECRET_KEY=os.environ.get('SECRET_KEY') or get_random_secret_key(),
    ALLOWED_HOSTS=['127.0.0.1', 'localhost'],
    # A request contains the whole conversation, with attached files.
    DATA_UPLOAD_MAX_MEMORY_SIZE=30 * 1024 * 1024,
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=['django.contrib.staticfiles', 'csp'],
    STATIC_URL='/static/',
    STATICFILES_DIRS=[STATIC],
    TEMPLATES=[
        {
            'BACKEND': 'django.template.backends.django.DjangoTemplates',
            'DIRS': [HERE],
            'OPTIONS': {'context_processors': ['django.template.context_processors.request']},
        }
    ],
    MIDDLEWARE=['csp.middleware.CSPMiddleware', 'django.middleware.csrf.CsrfViewMiddleware'],
    # In Django 6 this is `SECURE_CSP`, without a package.
    CONTENT_SECURITY_POLICY={
        'DIRECTIVES': {
            'default-src': [NONE],
            'script-src': [SELF, "'wasm-unsafe-eval'"],
            'style-src': [SELF],
            'connect-src': [SELF],
            'img-src': [SELF, 'data:'],
            'base-uri': [NONE],
            'form-action': [NONE],
            'frame-ancestors': [NONE],
        }
    },
)

ORDERS = [
    {'id': 'A-17', 'euros': 40},
    {'id': 'B-4', 'euros': 120},
    # Markup, unless the template escapes it.
    {'id': '"><b>&quot;', 'euros': 60},
]
HASH = b64encode(hashlib.sha384((STATIC / 'assistant/element.js').read_bytes()).digest()).decode()
# An agent that sends nothing for ten minutes is given up. Each open answer has a connection.
CLIENT = httpx.AsyncClient(timeout=httpx.Timeout(10, read=600), limits=httpx.Limits(max_connections=None))


def page(request: HttpRequest) -> HttpResponse:
    """Renders the page."""
    return render(request, 'page.html', {'orders': ORDERS, 'hash': HASH})


@require_POST
async def agent(request: HttpRequest) -> HttpResponseBase:
    """Forwards a request, whose token the middleware has checked, and streams the answer."""
    headers = {'content-type': 'application/json', 'accept': 'text/event-stream'}
    try:
        answer = await CLIENT.send(CLIENT.build_request('POST', AGENT, content=request.body, headers=headers), stream=True)
    except httpx.TransportError:
        return HttpResponse('The agent cannot be reached.', status=502, content_type='text/plain')
    return StreamingHttpResponse(
        pieces(answer),
        status=answer.status_code,
        content_type=answer.headers.get('content-type', 'application/octet-stream'),
        headers={'cache-control': 'no-store', 'x-accel-buffering': 'no'},
    )


async def pieces(answer: httpx.Response) -> AsyncIterator[bytes]:
    """The pieces of an answer as they arrive. A page that disconnects ends the agent's response, too."""
    try:
        async for piece in answer.aiter_bytes():
            yield piece
    finally:
        await answer.aclose()


urlpatterns = [path('', page), path('agent', agent, name='agent')]


def main() -> None:
    """Serves the page on this machine. Elsewhere a web server sends the static files."""
    from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--port', type=int, default=8080)
    application = ASGIStaticFilesHandler(get_asgi_application())
    uvicorn.run(application, port=parser.parse_args().port, lifespan='off', log_level='warning')


if __name__ == '__main__':
    main()
