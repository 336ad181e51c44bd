// Other tabs, pages that are loaded again, stored conversations and claims of the agent, each beside a decision of the user.

import { provenance } from "./attacks/provenance.mjs";
import { attackSuite } from "./stage.mjs";

attackSuite(provenance, { store: true });
