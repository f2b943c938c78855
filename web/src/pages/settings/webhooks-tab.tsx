import { Webhook as Icon, Plus } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../data/use-read.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookForm } from './webhook-form.tsx';

export const WebhooksTab = () => {
  const [making, setMaking] = useState(false);
  const list = useList('GET /v1/webhooks', { limit: 50 });
  return (
    <Section
      title="Outgoing webhooks"
      about="Addresses that are told what happens here, signed after Standard Webhooks and tried again for three days."
      actions={
        <button type="button" className="button button-main" onClick={() => setMaking(true)}>
          <Plus aria-hidden="true" className="size-4" />
          New webhook
        </button>
      }
    >
      <Listed
        of={list}
        loading="Looking at the webhooks"
        empty={
          <Empty icon={Icon} title="No webhook yet">
            <p>A webhook tells another program when a run ends, an approval is asked for or something breaks.</p>
          </Empty>
        }
      >
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {list.items.map((webhook) => (
            <li key={webhook.id}>
              <WebhookCard webhook={webhook} />
            </li>
          ))}
        </ul>
      </Listed>
      <Dialog title="New webhook" open={making} onClose={() => setMaking(false)}>
        <WebhookForm onDone={() => setMaking(false)} />
      </Dialog>
    </Section>
  );
};
