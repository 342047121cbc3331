import { Logo } from "../components/Logo";
import { PageSkeleton } from "../components/states/Skeleton";
import classes from "./Shell.module.css";

/** The frame of a page while the user is not known yet: what index.html shows before the script has loaded. */
export function BootFrame() {
  return (
    <>
      <header className={classes.bar}>
        <span className={classes.brand}>
          <Logo />
          <span>ringscope</span>
        </span>
      </header>
      <main className={classes.main} aria-busy="true">
        <PageSkeleton title="Loading" />
      </main>
    </>
  );
}
