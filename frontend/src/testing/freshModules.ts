/**
 * Test files of the document project share what node_modules has loaded, and load the page's own modules anew. They share
 * the window, too, so each begins with a match of no media query, which jsdom lacks and Mantine asks for.
 */
import { vi } from "vitest";

vi.resetModules();
vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));
