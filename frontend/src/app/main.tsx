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
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../api/client";
import { meQuery } from "../data/server";
import { follow, loginLink } from "./loginLink";
import { router } from "./router";
import { resolveVariables, theme } from "./theme";

// The stream keeps data fresh, so nothing goes stale by itself; an answer of the server is final, a failed
// connection is worth another try.
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIAm }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    },
  },
});

/** A session that ends while a page is open leads to the login page, not to an error in every box. */
function askWhoIAm(error: Error, query: { queryKey: readonly unknown[] }): void {
  const isLoggedOut = error instanceof ApiError && error.status === 401;
  if (isLoggedOut && query.queryKey[0] !== meQuery.queryKey[0]) void client.invalidateQueries(meQuery);
}

const element = document.getElementById("root");
if (!element) throw new Error("index.html has no #root.");
const link = loginLink(new URL(window.location.href));
if (link) {
  // Nothing is drawn before, as it would ask for what only somebody who is logged in may see.
  void follow(link).then((page) => window.location.replace(page));
} else {
  createRoot(element).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto">
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
