// Style rules of the page that make a request for approval hard to see, each compared with the same request without
// them.

import { appearance } from "./attacks/appearance.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(appearance);
