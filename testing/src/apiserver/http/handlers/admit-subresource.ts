import { enforcePolicies } from '../../admission/policy/policies.ts';
import { callValidatingWebhooks } from '../../admission/webhook/validating-webhooks.ts';
import { type AdmissionRequest, operationOptions } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { runSteps, type Steps } from '../../cluster/steps.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { type Handling, writeOptions } from './handling.ts';

/** How the options of a connection are called, after the kind that is connected to. */
const CONNECTED: Readonly<Record<string, string>> = {
  attach: 'AttachOptions',
  exec: 'ExecOptions',
  portforward: 'PortForwardOptions',
  proxy: 'ProxyOptions',
};

/**
 * Evaluates policies and asks webhooks for a request to a subresource that stores no object of its own: an eviction, a Binding, the request
 * for a token, a connection.
 *
 * @throws ApiError as `enforcePolicies`.
 */
export async function admitSubresource(
  { cluster, exchange }: Handling,
  target: Target,
  subresource: string,
  body?: StoredObject,
): Promise<void> {
  const { served, namespace, name } = target;
  requireStored(cluster, target);
  const options = writeOptions(exchange, 'CreateOptions', subresource);
  const isConnection = body === undefined;
  const kind = `${served.kind}${CONNECTED[subresource] ?? ''}`;
  const object = { metadata: {}, ...(body ?? { apiVersion: 'v1', kind }) } as StoredObject;
  const request: AdmissionRequest = {
    operation: isConnection ? 'CONNECT' : 'CREATE',
    ...{ served, subresource, namespace, name, object },
    previous: undefined,
    options: isConnection ? {} : operationOptions('CreateOptions', options.sent),
    writer: options,
  };
  await runSteps(admitted(cluster, request));
}

function* admitted(cluster: Cluster, request: AdmissionRequest): Steps<void> {
  yield* enforcePolicies(cluster, request);
  yield* callValidatingWebhooks(cluster, request);
}
