import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, randomKey, unwrap } from "../../../api/client";
import type { MonitoringFile } from "../../../api/types";
import { Command } from "../../../components/controls/Command";
import { useRole } from "../../../components/hooks/useRole";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { Loaded } from "../../../components/states/Loaded";
import { scrapeConfigurationQuery, tokensQuery } from "../../../data/settings";
import { Secret } from "../Secret";
import classes from "../Settings.module.css";
import { CONFIGURATION, fileUrl } from "./files";

const TOKEN = { name: "prometheus", kind: "personal", role: "viewer", note: "Prometheus reads the metrics with it." } as const;
const START = `prometheus --config.file=${CONFIGURATION} --enable-feature=exemplar-storage`;

interface Props {
  rules: readonly MonitoringFile[];
  /** The address of Prometheus; null: the server does not know it. */
  url: string | null;
}

/** How Prometheus reads the metrics: a token, the configuration, the rules. */
export function Scrape({ rules, url }: Props) {
  const client = useQueryClient();
  const { isAdmin } = useRole();
  const configuration = useQuery(scrapeConfigurationQuery);
  const token = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/tokens", { params: { header: { "idempotency-key": randomKey() } }, body: TOKEN })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <section className="card" aria-labelledby="prometheus">
      <div className="card-head">
        <h2 id="prometheus">Prometheus</h2>
        {url && <a className="spread" href={url}>Open Prometheus</a>}
      </div>
      <div className={`card-body ${classes.detail}`}>
        <ol className={classes.steps}>
          <li>
            <p>
              Make a token that may read everything and change nothing, and save its secret as <code>ringscope-token</code>{" "}
              beside <code>{CONFIGURATION}</code>.
            </p>
            {isAdmin ? (
              <Button onClick={() => token.mutate()} aria-busy={token.isPending}>Make token</Button>
            ) : (
              <p className="dim">An administrator makes the token.</p>
            )}
            {token.error && <ErrorNote what="The token was not made" error={token.error} />}
          </li>
          <li>
            <p>
              Download <a href={fileUrl(CONFIGURATION)} download={CONFIGURATION}>{CONFIGURATION}</a>, which has the address of this
              server, and the rules into the folder <code>rules</code> beside it:
            </p>
            <ul className={classes.files}>
              {rules.map(({ name, description }) => (
                <li key={name}>
                  <a href={fileUrl(name)} download={name} title={description}>{name}</a>
                </li>
              ))}
            </ul>
          </li>
          <li>
            <p>Start Prometheus there, or add the parts of the configuration to that of your own.</p>
            <Command text={START} />
          </li>
        </ol>
        <details>
          <summary>{CONFIGURATION}</summary>
          <Loaded query={configuration} what="The configuration could not be loaded" rows={10} isBare>
            {(text) => <Command text={text} />}
          </Loaded>
        </details>
        {!url && (
          <p className="dim">
            The pages of jobs link to your Prometheus if you start the server with <code>--prometheus-url URL</code>.
          </p>
        )}
      </div>
      <Secret
        of={token.data ? `token ${token.data.name}` : null}
        secret={token.data?.secret ?? ""}
        hint="Save it as ringscope-token beside prometheus.yml."
        onClose={token.reset}
      />
    </section>
  );
}
