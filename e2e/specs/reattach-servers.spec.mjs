// Runs of real servers behind the relay are interrupted at a few events, by a crash of the renderer, a broken network, a
// browser without a network and a closed tab: the conversation and the requests are the undisturbed ones (rule
// "reattaching to a run"). e2e/long/every-event-of-servers.spec.mjs interrupts them after each event.

import { INTERRUPTIONS } from "../support/interruptions.mjs";
import { interruptServers } from "../support/interrupted-servers.mjs";

interruptServers((events) => {
  const step = Math.floor(events / INTERRUPTIONS.length);
  return INTERRUPTIONS.map((interruption, at) => ({ at: (at + 1) * step, interruption }));
});
