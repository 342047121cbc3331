/** The login page: the printed link, or a token typed by hand. */
import { Button, PasswordInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { api, ApiError, unwrap } from "../../api/client";
import { Logo } from "../../components/Logo";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import classes from "./LoginPage.module.css";

export function LoginPage() {
  usePageTitle("log in");
  const client = useQueryClient();
  const [token, setToken] = useState("");
  const [sentence, setSentence] = useState<string | null>(null);
  const [link] = useState(() => new URLSearchParams(window.location.search).get("login"));
  const input = useRef<HTMLInputElement>(null);
  const logIn = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      unwrap(await api.POST("/api/v1/session", { body: { token: token.trim() } }));
      await client.resetQueries();
    } catch (error) {
      setSentence(error instanceof ApiError ? error.message : "The server does not answer; is it running?");
      input.current?.focus();
    }
  };
  return (
    <main className={classes.login}>
      <h1 className={classes.brand}>
        <Logo /> Log in to ringscope
      </h1>
      <p>
        Open the link that <code>ringscope up</code> printed in its terminal; it logs this browser in. For a new
        link, run <code>ringscope login</code> on the server&rsquo;s machine.
      </p>
      {link === "expired" && (
        <p role="alert" className={classes.used}>
          That link does not work any more: it was used, was revoked or has expired. Ask for a new one.
        </p>
      )}
      {link === "failed" && (
        <p role="alert" className={classes.used}>
          The server could not log this browser in now; open the link again in a moment.
        </p>
      )}
      <form className={classes.form} onSubmit={(event) => void logIn(event)}>
        <PasswordInput
          ref={input}
          label="Or paste a token"
          autoComplete="current-password"
          value={token}
          error={sentence}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <Button type="submit" variant="filled" size="sm">
          Log in
        </Button>
      </form>
      <p className="dim">
        The administrator&rsquo;s token is in the file <code>admin-token</code> of the server&rsquo;s data directory.
      </p>
    </main>
  );
}
