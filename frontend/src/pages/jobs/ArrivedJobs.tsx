import { Button } from "@mantine/core";
import { type InfiniteData, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { arrivedQuery } from "../../data/jobs";
import { jobsKey } from "../../data/keys";
import type { JobPage, JobView } from "../../api/types";
import { plural } from "../../lib/format";
import { type JobFilter, matches } from "../../lib/jobFilter";
import classes from "./JobsPage.module.css";

interface Props {
  listKey: QueryKey;
  filter: JobFilter;
  shown: readonly JobView[];
}

/** Jobs that came since the list was asked for; they enter it when this is pressed, and not under the pointer. */
export function ArrivedJobs({ listKey, filter, shown }: Props) {
  const client = useQueryClient();
  const arrived = useQuery(arrivedQuery);
  const newest = Math.max(0, ...shown.map((job) => job.id));
  const waiting = arrived.data.filter((job) => job.id > newest && matches(job, filter));
  const show = async (): Promise<void> => {
    // Of a long list only the first page: the others would be asked for again one by one.
    client.setQueryData<InfiniteData<JobPage>>(listKey, (list) => list && firstPage(list));
    window.scrollTo({ top: 0, behavior: "instant" });
    await client.invalidateQueries({ queryKey: listKey, exact: true });
    await client.invalidateQueries({ queryKey: jobsKey("facets") });
  };
  const isAny = waiting.length > 0 && shown.length > 0;
  return (
    <div className={classes.arrived} role="status">
      {isAny && (
        <Button variant="filled" radius="xl" onClick={() => void show()}>
          ↑ {plural(waiting.length, "new job")}
        </Button>
      )}
    </div>
  );
}

function firstPage(list: InfiniteData<JobPage>): InfiniteData<JobPage> {
  return { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}
