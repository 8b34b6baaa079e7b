import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'chancery';
import { type Service, services } from 'chancery/kubernetes';

/** What is to become of the addresses of a Service. */
export interface AddressChange {
  /** Stands there, once. */
  readonly add?: string | undefined;
  /** Do not stand there. */
  readonly remove: readonly (string | undefined)[];
}

type Stored = Service & { readonly metadata: { readonly resourceVersion: string } };

/**
 * Writes the addresses of a Service where they differ: to the status, and to `spec.externalIPs` if asked
 * to. Addresses of others stay. Who reads a list and writes it back says which version was read, so that
 * nothing is lost: a race that was lost is let through, and tried again.
 */
export async function changeAddresses(
  client: Client,
  service: Stored,
  change: AddressChange,
  { externalIPs }: { readonly externalIPs: boolean },
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = service.metadata;
  const target = { name, namespace };
  const shown = service.status?.loadBalancer?.ingress ?? [];
  const ingress = changed(
    shown,
    ({ ip }) => ip,
    change,
    (ip) => ({ ip }),
  );
  let version: string | undefined = resourceVersion;
  if (!isDeepStrictEqual(ingress, shown)) {
    const body = { metadata: { uid, resourceVersion }, status: { loadBalancer: { ingress } } };
    const options = { subresource: 'status' };
    const stored = await client.patch(services, target, { type: 'merge', body }, options);
    version = stored.metadata.resourceVersion;
  }
  if (!externalIPs) return;
  const external = service.spec?.externalIPs ?? [];
  const wanted = changed(
    external,
    (ip) => ip,
    change,
    (ip) => ip,
  );
  if (isDeepStrictEqual(wanted, external)) return;
  const body = { metadata: { uid, resourceVersion: version }, spec: { externalIPs: wanted } };
  await client.patch(services, target, { type: 'merge', body });
}

/** `entries` without those to be removed, and with the one to be added, once. */
export function changed<Entry>(
  entries: readonly Entry[],
  addressOf: (entry: Entry) => string | undefined,
  { add, remove }: AddressChange,
  entryFor: (address: string) => Entry,
): readonly Entry[] {
  let isThere = false;
  const kept = entries.filter((entry) => {
    const address = addressOf(entry);
    if (address === undefined) return true; // by a name, which is never ours
    if (address !== add) return !remove.includes(address);
    const isFirst = !isThere;
    isThere = true;
    return isFirst;
  });
  return add === undefined || isThere ? kept : [...kept, entryFor(add)];
}
