// Clicks that were meant for something else or come too early, each compared with one that was meant.

import { timing } from "./attacks/timing.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(timing);
