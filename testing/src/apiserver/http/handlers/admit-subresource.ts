import { runSteps } from '../../cluster/steps.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { admitSubresource as admitted } from '../../verbs/subresources/admit-subresource.ts';
import type { Target } from '../../verbs/target.ts';
import { type Handling, writeOptions } from './handling.ts';

/**
 * Admits a request to a subresource that does not store a separate object.
 *
 * @param body - the body of the request; undefined for a connection.
 * @throws ApiError when a policy or a webhook refuses the request.
 */
export async function admitSubresource(
  { cluster, exchange }: Handling,
  target: Target,
  subresource: string,
  body?: StoredObject,
): Promise<void> {
  const options = writeOptions(exchange, 'CreateOptions', subresource);
  await runSteps(admitted(cluster, target, options, body));
}
