// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/client";
import { Loaded } from "./Loaded";

function shown(query: { data: string | undefined; error: Error | null; isPending: boolean }): string {
  return renderToStaticMarkup(
    <MantineProvider>
      <Loaded query={{ ...query, refetch: () => undefined }} what="The log could not be loaded" rows={2}>
        {(text) => <p>{text}</p>}
      </Loaded>
    </MantineProvider>,
  );
}

describe("what the server answered", () => {
  const error = new ApiError(500, "", "The disk is full.", []);

  it("has a skeleton until it is there", () => {
    const html = shown({ data: undefined, error: null, isPending: true });
    expect(html).toContain('aria-busy="true"');
    expect(html.match(/<span>/g)).toHaveLength(2);
  });

  it("stays when asking again failed, with the error and a way to try again", () => {
    const html = shown({ data: "line 1", error, isPending: false });
    expect(html).toContain("<p>line 1</p>");
    expect(html).toContain("The disk is full. What is shown is from before.");
    expect(html).toContain("Try again");
    expect(html).not.toContain("aria-busy");
  });

  it("stays without a word of its own when the server cannot be reached, which the banner says", () => {
    const html = shown({ data: "line 1", error: new TypeError("Failed to fetch"), isPending: false });
    expect(html).toBe(shown({ data: "line 1", error: null, isPending: false }));
  });

  it("is only an error where nothing is known", () => {
    const html = shown({ data: undefined, error, isPending: false });
    expect(html).toContain("The log could not be loaded");
    expect(html).not.toContain("from before");
    expect(html).not.toContain("<p>line");
  });
});
