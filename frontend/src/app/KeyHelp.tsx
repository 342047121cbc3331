import { Checkbox } from "@mantine/core";
import { Dialog } from "../components/controls/Dialog";
import { type Part, PART_KEYS, SINGLE_KEYS } from "../lib/search/keys";
import classes from "./Shell.module.css";
import { MAIN_PAGES } from "./mainPages";
import { useShortcuts } from "../components/hooks/shortcuts";

/** The keys that do something on this page, and the switch for those of a single letter. */
export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose} isWide>
      <Keys />
    </Dialog>
  );
}

function Keys() {
  const { registry, hasSingleKeys, setSingleKeys } = useShortcuts();
  const here = Object.entries(SINGLE_KEYS).filter(([, [action]]) => registry.handlerOf(action));
  const parts = Object.entries(PART_KEYS).filter(([part]) => registry.handlerOf(`part:${part as Part}`));
  const keys: (readonly [string, string])[] = [
    ["⌘K or Ctrl-K", "Command palette: any page, job or node by its name"],
    ...here.map(([key, [, what]]) => [key, what] as const),
    ...parts.flatMap(([, ofPart]): readonly (readonly [string, string])[] => ofPart),
    ...MAIN_PAGES.map(({ key, title }) => [`g ${key}`, title] as const),
  ];
  return (
    <>
      <dl className={classes.keys}>
        {keys.map(([key, what]) => (
          <div key={`${key} ${what}`}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        checked={hasSingleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        label="Single keys work"
        description="Switch them off if speech input or accidental keys trigger them. ⌘K stays."
      />
    </>
  );
}
