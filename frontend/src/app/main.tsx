import "@mantine/core/styles/baseline.css";
import "@mantine/core/styles/default-css-variables.css";
import "@mantine/core/styles/global.css";
import "@mantine/core/styles/UnstyledButton.css";
import "@mantine/core/styles/Button.css";
import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/Loader.css";
import "@mantine/core/styles/Input.css";
import "@mantine/core/styles/PasswordInput.css";
import "@mantine/core/styles/InlineInput.css";
import "@mantine/core/styles/Checkbox.css";
import "./tokens.css";
import "./base.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { meQuery } from "../data/server";
import { client } from "./client";
import { loadPages } from "./lazyPage";
import { follow, loginLink } from "./loginLink";
import { router } from "./router";
import { resolveVariables, theme } from "./theme";

/** By then the first page is drawn, and what is loaded ahead delays nothing. */
const PAGES_AFTER_MS = 3_000;

const element = document.getElementById("root");
if (!element) throw new Error("index.html has no #root.");
const link = loginLink(new URL(window.location.href));
if (link) {
  // Nothing is drawn before this, as it would ask for data that only logged-in users may see.
  void follow(link).then((page) => window.location.replace(page));
} else {
  // Drawing the frame takes as long as the answer, so both run at the same time.
  void client.prefetchQuery(meQuery);
  createRoot(element).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto">
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
  window.setTimeout(() => void loadPages(), PAGES_AFTER_MS);
}
