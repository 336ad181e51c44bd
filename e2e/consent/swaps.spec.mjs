// Calls that become others after they were shown, each beside one that stays itself.

import { swaps } from "./attacks/swaps.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(swaps);
