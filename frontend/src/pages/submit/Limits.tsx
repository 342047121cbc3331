import { Textarea, TextInput } from "@mantine/core";
import type { Bind } from "./bind";
import classes from "./SubmitPage.module.css";

/** The environment of a job, and the time limits for parts of it; that of the whole job is elsewhere in each form. */
export function Limits({ bind }: { bind: Bind<"start" | "load" | "hang" | "env"> }) {
  return (
    <>
      <div className={classes.row}>
        <TextInput description="Seconds for each part of the start" placeholder="the server's" inputMode="numeric" {...bind("start")} />
        <TextInput description="Seconds to import, read or compile" inputMode="numeric" {...bind("load")} />
        <TextInput description="Seconds without progress" placeholder="usual" inputMode="numeric" {...bind("hang")} />
      </div>
      <Textarea description="NAME=value, one on each line, beside those that the launcher sets" placeholder="none" autosize minRows={1} {...bind("env")} />
    </>
  );
}
