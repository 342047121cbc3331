import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client";
import classes from "./Shell.module.css";

/** Who is logged in, and the way out. */
export function Account({ name, role }: { name: string; role: string }) {
  const client = useQueryClient();
  const logOut = async (): Promise<void> => {
    await api.DELETE("/api/v1/session");
    await client.resetQueries();
  };
  return (
    <>
      <span className={classes.account} title={`Logged in as ${name}, ${role}`}>
        {name}
      </span>
      <Button variant="subtle" color="gray" px={8} onClick={() => void logOut()}>
        Log out
      </Button>
    </>
  );
}
