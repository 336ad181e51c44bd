// More requests than anybody reads, each beside a single one.

import { flood } from "./attacks/flood.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(flood);
