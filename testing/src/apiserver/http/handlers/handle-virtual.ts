import type { ApiError } from 'chancery';
import { apiVersionOf, resourceName } from 'chancery/internal-objects';
import { failure } from '../../failures/failure.ts';
import { unknownResource } from '../../failures/request-failures.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { bindPod } from '../../verbs/subresources/bind.ts';
import type { Target } from '../../verbs/target.ts';
import { decodeObject, readBody } from '../exchange/body.ts';
import { admitSubresource } from './admit-subresource.ts';
import { type Handling, sendDone, writeOptions } from './handling.ts';

/** Sends the warning that kube-apiserver sends for every request to a deprecated resource. */
export function warnOfDeprecation({ exchange, served, cluster }: Omit<Handling, 'view'>): void {
  if (served.custom) return;
  const text = cluster.behaviour.warnings.get(`${apiVersionOf(served)}/${served.plural}`);
  if (text !== undefined) exchange.warn(text);
}

/**
 * True for a resource that only supports creates. Its objects are requests for an action, and are
 * not stored.
 */
export function isVirtual({ verbs }: ServedResource): boolean {
  return verbs.length === 1 && verbs[0] === 'create';
}

/** Answers a POST to a resource whose objects are not stored. */
export async function createVirtual(handling: Handling, body: StoredObject): Promise<void> {
  const { served, info, cluster } = handling;
  if (served.kind !== 'Binding') throw notImplemented(resourceName(served));
  const pods = cluster.registry.byPath('', 'v1', 'pods');
  if (pods === undefined) throw unknownResource();
  const name = body.metadata.name ?? '';
  await bind(handling, { served: pods, namespace: info.namespace, name }, body);
}

/** The error for a resource of a real server that this server does not implement. */
function notImplemented(resource: string): ApiError {
  const message = `${resource} is not implemented by the embedded API server`;
  return failure({ code: 501, message });
}

/** Answers a POST to `pods/<name>/binding`. */
export async function createBinding(handling: Handling, pod: Target): Promise<void> {
  const { exchange, served } = handling;
  const text = await readBody(exchange);
  const kind = { group: '', version: 'v1', kind: 'Binding' };
  await bind(handling, pod, decodeObject(exchange, text, served, kind));
}

async function bind(handling: Handling, pod: Target, body: StoredObject): Promise<void> {
  const { exchange, cluster } = handling;
  await admitSubresource(handling, pod, 'binding', body);
  const bound = bindPod(cluster, pod, body, writeOptions(exchange, 'CreateOptions'));
  sendDone(handling, bound);
}
