"""LiteLLM's proxy in front of a model. Arguments: port, address of the model."""

import os
import sys

# Prices come from the package, not from the network.
os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] = 'True'
# Without a key, since only this machine can call it.
os.environ['LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY'] = 'true'

from litellm import run_server

if __name__ == '__main__':
    port, model = sys.argv[1:]
    address = ['--host', '127.0.0.1', '--port', port]
    sys.argv = ['litellm', *address, '--model', 'openai/small', '--api_base', model, '--telemetry', 'False']
    run_server()
