// Events of scripts, and events of the user that a page redirects to Approve, each compared with a click on it.

import { input } from "./attacks/input.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(input);
