import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client";
import { deliveriesQuery } from "../../../data/settings";
import type { DeliveryView } from "../../../api/types";
import { Age } from "../../../components/Age";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { ScrollX } from "../../../components/controls/ScrollX";
import { StateBadge } from "../../../components/marks/StateBadge";
import type { StateLook } from "../../../lib/state";
import classes from "../Settings.module.css";

const LOOKS: Record<DeliveryView["state"], StateLook> = {
  pending: { glyph: "◔", text: "pending", tone: "busy" },
  delivered: { glyph: "✓", text: "delivered", tone: "good" },
  failed: { glyph: "✕", text: "failed", tone: "bad" },
};

interface Props {
  webhookId: number;
  deliveries: readonly DeliveryView[];
  mayRepeat: boolean;
}

/** Messages of a webhook, the outcome of each, and a way to send one again. */
export function Deliveries({ webhookId, deliveries, mayRepeat }: Props) {
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: async (id: number) =>
      unwrap(
        await api.POST("/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", {
          params: { path: { webhook_id: webhookId, delivery_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesQuery(webhookId).queryKey }),
  });
  if (deliveries.length === 0) return <p className="dim">Nothing was sent yet. Send a test message to check the address.</p>;
  return (
    <>
      {redeliver.error && <ErrorNote what="The message was not sent again" error={redeliver.error} />}
      <ScrollX label="Deliveries, newest first">
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">Id</th>
              <th scope="col">State</th>
              <th scope="col">Event</th>
              <th scope="col" className="number">Tries</th>
              <th scope="col" className="number">Status</th>
              <th scope="col">Last error</th>
              <th scope="col" className="number">Age</th>
              <th scope="col">
                <span className="hidden-visually">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr key={delivery.id}>
                <td className="number dim">{delivery.id}</td>
                <td>
                  <StateBadge look={LOOKS[delivery.state]} />
                </td>
                <th scope="row">{delivery.event_type}</th>
                <td className="number">{delivery.tries}</td>
                <td className="number">{delivery.last_status ?? "–"}</td>
                <td className={classes.wide}>{delivery.last_error}</td>
                <td className="number">
                  <Age iso={delivery.created_at} />
                </td>
                <td>
                  <div className={classes.actions}>
                    {mayRepeat && (
                      <Button onClick={() => redeliver.mutate(delivery.id)}>
                        Send again<span className="hidden-visually"> delivery {delivery.id}</span>
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </>
  );
}
