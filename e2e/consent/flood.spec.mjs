// More requests than a user reads, each compared with a single one.

import { flood } from "./attacks/flood.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(flood);
