// Events of scripts, and events of the user that a page turns to Approve, each beside a click on it.

import { input } from "./attacks/input.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(input);
