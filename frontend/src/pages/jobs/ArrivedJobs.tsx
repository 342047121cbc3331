import { Button } from "@mantine/core";
import { type InfiniteData, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { arrivedQuery } from "../../data/jobs";
import { jobsKey } from "../../data/keys";
import type { JobPage } from "../../api/types";
import { plural } from "../../lib/format";
import { newsOf, type ShownList } from "../../lib/search/jobFilter";
import classes from "./JobsPage.module.css";

interface Props {
  listKey: QueryKey;
  list: ShownList;
}

/** Jobs that the list lacks, or that no longer match; the list changes when this is pressed, and not under the pointer. */
export function ArrivedJobs({ listKey, list }: Props) {
  const client = useQueryClient();
  const arrived = useQuery(arrivedQuery);
  const { entering, leaving } = newsOf(list, arrived.data);
  const show = async (): Promise<void> => {
    // Of a long list only the first page is loaded: the others would be requested one by one.
    client.setQueryData<InfiniteData<JobPage>>(listKey, (list) => list && firstPage(list));
    // Jobs that the server leaves out after all are not offered again.
    client.setQueryData(arrivedQuery.queryKey, (jobs = []) => jobs.filter((job) => !entering.includes(job)));
    window.scrollTo({ top: 0, behavior: "instant" });
    await client.invalidateQueries({ queryKey: listKey, exact: true });
    await client.invalidateQueries({ queryKey: jobsKey("facets") });
  };
  const isAny = entering.length + leaving > 0 && list.jobs.length > 0;
  return (
    <div className={classes.arrived} role="status">
      {isAny && (
        <Button variant="filled" radius="xl" onClick={() => void show()}>
          {entering.length > 0 && `↑ ${plural(entering.length, "new job")}`}
          {entering.length > 0 && leaving > 0 && ", "}
          {leaving > 0 && `${leaving} shown ${leaving === 1 ? "matches" : "match"} no more`}
        </Button>
      )}
    </div>
  );
}

function firstPage(list: InfiniteData<JobPage>): InfiniteData<JobPage> {
  return { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}
