/** Test files of the document project share what node_modules has loaded, and load the page's own modules anew. */
import { vi } from "vitest";

vi.resetModules();
