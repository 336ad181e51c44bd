// Other tabs, reloaded pages, stored conversations and claims of the agent, each compared with a decision of the user.

import { provenance } from "./attacks/provenance.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(provenance, { store: true });
