// Arguments and names that hide something, each compared with ones that do not.

import { content } from "./attacks/content.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(content);
