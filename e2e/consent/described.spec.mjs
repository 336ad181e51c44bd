// Requests in an application's own words, in the demo: what is left out or out of sight, each beside one that shows everything.

import { described } from "./attacks/described.mjs";
import { driver } from "./demo.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(described, { driver });
