// Requests in an application's own words, in the demo: details are missing or hidden, each compared with one that shows
// everything.

import { described } from "./attacks/described.mjs";
import { driver } from "./demo.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(described, { driver });
