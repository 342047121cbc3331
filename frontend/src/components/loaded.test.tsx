import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
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
  const error = new Error("The disk is full.");

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

  it("is only an error where nothing is known", () => {
    const html = shown({ data: undefined, error, isPending: false });
    expect(html).toContain("The log could not be loaded");
    expect(html).not.toContain("from before");
    expect(html).not.toContain("<p>line");
  });
});
