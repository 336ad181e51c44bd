// Runs of real servers behind the relay are interrupted after each of their events, in turn by each interruption, or with
// KINDS=all by all of them (rule "reattaching to a run"). EVENTS=100-120 or 1-300/5 selects some events, and
// SERVERS=Agno,langgraph some servers. It takes half an hour for pydantic-ai, and a few minutes for each of the others.

import { points } from "../support/interruptions.mjs";
import { interruptServers } from "../support/interrupted-servers.mjs";

interruptServers(points);
