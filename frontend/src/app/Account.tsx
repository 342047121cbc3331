import { Button } from "@mantine/core";
import { buttonsClass, Dialog } from "../components/controls/Dialog";
import { ErrorNote } from "../components/states/ErrorNote";
import classes from "./Shell.module.css";
import type { useLogOut } from "./useLogOut";

interface Props {
  name: string;
  role: string;
  logOut: ReturnType<typeof useLogOut>;
}

/** The logged-in user, and the button that logs out. */
export function Account({ name, role, logOut }: Props) {
  return (
    <>
      <span className={classes.account} title={`Logged in as ${name}, ${role}`}>
        {name}
        {role === "viewer" && " (viewer)"}
      </span>
      <Button variant="subtle" color="gray" px={8} onClick={() => logOut.mutate()}>
        Log out
      </Button>
      <Dialog title={`${name} is still logged in`} isOpen={logOut.error !== null} onClose={logOut.reset}>
        {logOut.error && <ErrorNote what="You were not logged out" error={logOut.error} onRetry={() => logOut.mutate()} />}
        <div className={buttonsClass}>
          <Button onClick={logOut.reset}>Cancel</Button>
        </div>
      </Dialog>
    </>
  );
}
