import { createHash } from 'node:crypto';
import type { ReconcileContext } from 'chancery';
import { type Service, services } from 'chancery/kubernetes';
import type { Exposure } from './exposure.ts';
import { EXPOSE_URL } from './service-wish.ts';

const HOST_NAME_AS = 'fabric8.io/exposeHostNameAs';
const PROBLEM = 'expose.chancery.dev/problem';
/** Digest of what was last stated; there as long as anything of ours is. */
const STATED = 'expose.chancery.dev/stated';

type Context = ReconcileContext<Service>;

/**
 * Makes a Service what its exposure says, by server-side apply: the annotations that tell of it, and the
 * type. What was stated before and is not now is given back, the type too.
 */
export async function report(
  { apiVersion, kind, metadata, spec }: Service,
  { url, type, problem }: Exposure,
  { client, event }: Context,
): Promise<void> {
  const { name, namespace = '', uid = '', annotations: live = {} } = metadata;
  const note = problem && `${problem.reason}: ${problem.note}`;
  const told = {
    ...(url !== undefined && { [EXPOSE_URL]: url, ...hostName(live[HOST_NAME_AS], url) }),
    ...(note !== undefined && { [PROBLEM]: note }),
  };
  const isSame = Object.entries(told).every(([key, value]) => live[key] === value);
  const isTyped = type === undefined || type === spec?.type;
  const digest = digestOf({ told, type });
  if (isSame && isTyped && live[STATED] === digest) return;

  const annotations = { ...told, [STATED]: digest };
  const body = {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, annotations },
    ...(type !== undefined && { spec: { type } }),
  };
  await client.applyExisting(services, body, { force: true });
  if (problem !== undefined && live[PROBLEM] !== note) {
    event('Warning', problem.reason, problem.note);
  }
  if (url !== undefined && live[EXPOSE_URL] !== url)
    event('Normal', 'Exposed', `reached at ${url}`);
}

/** For a Service that is not to be exposed any more. */
export async function giveBack(
  { apiVersion, kind, metadata }: Service,
  { client, event }: Context,
): Promise<void> {
  const { name, namespace = '', uid = '', annotations = {} } = metadata;
  if (annotations[STATED] === undefined) return;
  const body = { apiVersion, kind, metadata: { name, namespace, uid } };
  await client.applyExisting(services, body, { force: true });
  event('Normal', 'Withdrawn', 'not exposed any more');
}

/** Only under what may be a key, and is none of those above: the API server would refuse the others. */
function hostName(key: string | undefined, url: string): Readonly<Record<string, string>> {
  const isKey = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-.\w]{0,61}[A-Za-z0-9])?$/.test(key ?? '');
  const isFree = key !== undefined && ![EXPOSE_URL, HOST_NAME_AS, PROBLEM, STATED].includes(key);
  return isKey && isFree ? { [key]: new URL(url).host } : {};
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
