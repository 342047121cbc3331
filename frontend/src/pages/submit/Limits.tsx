import { Textarea } from "@mantine/core";
import { TextField } from "../../components/controls/fields";
import type { Bind } from "./bind";
import classes from "./SubmitPage.module.css";

/** The environment of a job, and the time limits for parts of it; that of the whole job is elsewhere in each form. */
export function Limits({ bind }: { bind: Bind<"start" | "load" | "hang" | "env"> }) {
  const env = bind("env");
  return (
    <>
      <div className={classes.row}>
        <TextField description="Seconds for each part of the start" placeholder="the server's" inputMode="numeric" {...bind("start")} />
        <TextField description="Seconds to import, read or compile" inputMode="numeric" {...bind("load")} />
        <TextField description="Seconds without progress" placeholder="usual" inputMode="numeric" {...bind("hang")} />
      </div>
      <Textarea description="NAME=value, one on each line, beside those that the launcher sets" placeholder="none" rows={env.value.split("\n").length} {...env} />
    </>
  );
}
