// Calls that change after they were shown, each compared with one that does not.

import { swaps } from "./attacks/swaps.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(swaps);
