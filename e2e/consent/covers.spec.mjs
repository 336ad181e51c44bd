// Covers over a request for approval, each compared with the same request without one.

import { covers } from "./attacks/covers.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(covers);
